// expect: df: broadcast_to: the sizes do not broadcast
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return df::broadcast_to<2, 4>(x);  // here
#else
    return df::broadcast_to<5, 2, 3>(x);
#endif
}
