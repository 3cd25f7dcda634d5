// expect: df: compound assignment: the result does not fit the left side
#include <df/df.hpp>

auto f(df::tensor<float, 3> x, df::tensor<float, 2, 3> y) {
#ifdef DF_FAIL
    return x += y;  // here
#else
    return y += x;
#endif
}
