// expect: df: dynamic_update_slice: the dtypes differ; write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<double> x, df::tensor<float> y) {
#ifdef DF_FAIL
    return df::dynamic_update_slice(x, y, {0});  // here
#else
    return df::dynamic_update_slice(x, x, {0});
#endif
}
