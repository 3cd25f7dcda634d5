// expect: df: matmul: the rank is too small
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> a, df::scalar<float> b) {
#ifdef DF_FAIL
    return df::matmul(a, b);  // here
#else
    return df::matmul(a, df::expand_dims(b + df::zeros<float>({3}), 1));
#endif
}
