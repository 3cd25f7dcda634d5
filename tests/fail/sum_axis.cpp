// expect: the axis is out of range
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return df::sum(x, df::size<2>);  // here
#else
    return df::sum(x, df::size<1>);
#endif
}
