// expect: df: a traced callable takes its arguments by value or by const reference; return what it changes
#include <df/df.hpp>

auto f(df::tensor<float> x) {
#ifdef DF_FAIL
    return df::function([](df::tensor<float>& y) { return y; })(x);  // here
#else
    return df::function([](const df::tensor<float>& y) { return y; })(x);
#endif
}
