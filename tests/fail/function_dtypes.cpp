// expect: df: mixed dtypes: write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<float> a, df::tensor<double> b) {
#ifdef DF_FAIL
    return df::power(a, b);  // here
#else
    return df::power(df::cast<double>(a), b);
#endif
}
