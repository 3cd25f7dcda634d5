// expect: df: operator &&: the sizes do not broadcast
#include <df/df.hpp>

auto f(df::tensor<bool, 2> a, df::tensor<bool, 3> b) {
#ifdef DF_FAIL
    return a && b;  // here
#else
    return a && a;
#endif
}
