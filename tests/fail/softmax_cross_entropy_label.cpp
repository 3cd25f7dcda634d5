// expect: df: softmax_cross_entropy: the label is not int64; write df::cast<std::int64_t>(label)
#include <df/df.hpp>

auto f(df::tensor<float> x, df::tensor<std::int32_t> i) {
#ifdef DF_FAIL
    return df::softmax_cross_entropy(x, i);  // here
#else
    return df::softmax_cross_entropy(x, df::cast<std::int64_t>(i));
#endif
}
