// expect: df: this type is not a tensor, number, tuple, array, vector or struct of them; adapt it with BOOST_HANA_ADAPT_STRUCT or give it df_members()
#include <df/df.hpp>

struct plain {
    df::tensor<float> w;
};
struct adapted {
    df::tensor<float> w;
};
BOOST_HANA_ADAPT_STRUCT(adapted, w);

auto f() {
#ifdef DF_FAIL
    return df::function([](const plain& p) { return p.w; })(plain());  // here
#else
    return df::function([](const adapted& p) { return p.w; })(adapted());
#endif
}
