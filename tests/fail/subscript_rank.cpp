// expect: df: operator []: the rank is too small
#include <df/df.hpp>

auto f(df::scalar<float> s, df::tensor<float, 2> x) {
#ifdef DF_FAIL
    return s[0];  // here
#else
    return x[0];
#endif
}
