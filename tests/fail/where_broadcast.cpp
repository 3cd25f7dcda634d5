// expect: df: where: the sizes do not broadcast
#include <df/df.hpp>

auto f(df::tensor<bool, 2> c, df::tensor<float, 3> a, df::tensor<float, 2> b) {
#ifdef DF_FAIL
    return df::where(c, a, 0.f);  // here
#else
    return df::where(c, b, 0.f);
#endif
}
