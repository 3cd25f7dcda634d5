// expect: df: mixed dtypes: write df::cast<T>(x)
#include <df/df.hpp>

auto f(df::tensor<std::int64_t> a) {
#ifdef DF_FAIL
    return a * 0.5;  // here
#else
    return df::cast<double>(a) * 0.5;
#endif
}
