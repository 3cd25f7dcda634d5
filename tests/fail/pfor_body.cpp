// expect: df: pfor: the body takes one df::index
#include <df/df.hpp>

auto f() {
#ifdef DF_FAIL
    return df::pfor(3, [](df::tensor<float> x) { return x; });  // here
#else
    return df::pfor(3, [](df::index i) { return i; });
#endif
}
