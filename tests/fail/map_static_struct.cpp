// expect: df: map: a struct with static sizes is mapped as df::stacked<S>, the form that pfor returns
#include <df/df.hpp>

struct fixed {
    df::tensor<float, 2> w;
};
BOOST_HANA_ADAPT_STRUCT(fixed, w);

auto f(df::stacked<fixed> s) {
#ifdef DF_FAIL
    return df::map([](const fixed& p) { return p.w; })(s.prototype());  // here
#else
    return df::map([](const fixed& p) { return p.w; })(s);
#endif
}
