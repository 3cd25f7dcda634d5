// expect: df: take: the axis is out of range
#include <df/df.hpp>

auto f(df::tensor<float, 3> x, df::tensor<std::int64_t> i) {
#ifdef DF_FAIL
    return df::take(x, i, df::size<1>);  // here
#else
    return df::take(x, i, df::size<0>);
#endif
}
