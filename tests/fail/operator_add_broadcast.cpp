// expect: df: operator +: the sizes do not broadcast
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return x + df::tensor<float, 4>();  // here
#else
    return x + df::tensor<float, 3>();
#endif
}
