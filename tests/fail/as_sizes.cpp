// expect: df: as: these sizes cannot hold
#include <df/df.hpp>

auto f(df::tensor<float, 2, 3> x) {
#ifdef DF_FAIL
    return x.as<3, 2>();  // here
#else
    return x.as<2, 3>();
#endif
}
