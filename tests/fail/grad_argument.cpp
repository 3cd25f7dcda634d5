// expect: df: the number of a chosen argument is out of range
#include <df/df.hpp>

auto f(df::tensor<float> x) {
#ifdef DF_FAIL
    return df::grad<1>([](df::tensor<float> y) { return y; })(x);  // here
#else
    return df::grad<0>([](df::tensor<float> y) { return y; })(x);
#endif
}
