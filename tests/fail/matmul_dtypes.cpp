// expect: df: matmul: the dtypes differ; write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<float> a, df::tensor<double> b) {
#ifdef DF_FAIL
    return df::matmul(a, b);  // here
#else
    return df::matmul(df::cast<double>(a), b);
#endif
}
