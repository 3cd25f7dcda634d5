// expect: df: an argument has another dtype than the parameter; write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<float> x) {
#ifdef DF_FAIL
    return df::function([](df::tensor<double> y) { return y; })(x);  // here
#else
    return df::function([](df::tensor<double> y) { return y; })(df::cast<double>(x));
#endif
}
