// expect: df: dot: the inner sizes differ
#include <df/df.hpp>

auto f(df::tensor<float, 3> a, df::tensor<float, 4> b) {
#ifdef DF_FAIL
    return df::dot(a, b);  // here
#else
    return df::dot(a, b[df::slice(0, 3)]);
#endif
}
