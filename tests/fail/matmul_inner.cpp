// expect: df: matmul: the inner sizes differ
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> a, df::tensor<float, 3, 4> b) {
#ifdef DF_FAIL
    return df::matmul(b, a);  // here
#else
    return df::matmul(a, b);
#endif
}
