// expect: df: where: the condition is not bool; compare it with something
#include <df/df.hpp>

auto f(df::tensor<float> a) {
#ifdef DF_FAIL
    return df::where(a, a, a);  // here
#else
    return df::where(a > 0, a, a);
#endif
}
