// expect: df: squeeze: the axis is not of size 1
#include <df/df.hpp>

auto f(df::tensor<float, 1, 3> x) {
#ifdef DF_FAIL
    return df::squeeze(x, df::size<1>);  // here
#else
    return df::squeeze(x, df::size<0>);
#endif
}
