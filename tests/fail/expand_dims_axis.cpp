// expect: df: expand_dims: the axis is out of range
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return df::expand_dims(x, df::size<3>);  // here
#else
    return df::expand_dims(x, df::size<2>);
#endif
}
