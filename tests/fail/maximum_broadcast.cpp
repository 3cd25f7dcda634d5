// expect: the sizes do not broadcast
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return df::maximum(x, df::tensor<float, 2>());  // here
#else
    return df::maximum(x, df::tensor<float, 1>());
#endif
}
