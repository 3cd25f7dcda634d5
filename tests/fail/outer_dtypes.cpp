// expect: df: outer: the dtypes differ; write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<double> x, df::tensor<float> y) {
#ifdef DF_FAIL
    return df::outer(x, y);  // here
#else
    return df::outer(x, x);
#endif
}
