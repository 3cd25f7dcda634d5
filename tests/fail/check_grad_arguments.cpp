// expect: df: check_grad: give the arguments at which to check
#include <df/df.hpp>

auto f(df::tensor<double> x) {
#ifdef DF_FAIL
    return df::check_grad([] { return 1.0; });  // here
#else
    return df::check_grad([](df::tensor<double> y) { return y; }, x);
#endif
}
