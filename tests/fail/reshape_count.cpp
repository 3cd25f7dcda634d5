// expect: df: reshape: the element counts differ
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return df::reshape<4, 2>(x);  // here
#else
    return df::reshape<3, 2>(x);
#endif
}
