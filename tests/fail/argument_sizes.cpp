// expect: df: an argument does not fit the parameter's static sizes
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return df::function([](df::tensor<float, 3> y) { return y; })(x);  // here
#else
    return df::function([](df::tensor<float, 2, 3> y) { return y; })(x);
#endif
}
