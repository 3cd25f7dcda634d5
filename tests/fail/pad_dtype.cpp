// expect: df: pad: the dtypes differ; write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<double> x) {
#ifdef DF_FAIL
    return df::pad(x, {{1, 1}}, df::tensor<float>(0.f));  // here
#else
    return df::pad(x, {{1, 1}}, 0.0);
#endif
}
