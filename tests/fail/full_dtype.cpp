// expect: df: full: the dtypes differ; write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<double> x) {
#ifdef DF_FAIL
    return df::full<float>({2}, x);  // here
#else
    return df::full<float>({2}, df::cast<float>(x));
#endif
}
