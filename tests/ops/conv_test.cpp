// Convolution: forms of the options, groups, derivatives to second order, batches as one op, static shapes, errors.
#include <support/catch.hpp>
#include <support/near.hpp>

#include <df/df.hpp>

namespace {
using num = df::tensor<double>;

num wave(const df::shape& s, double from = 0.3) {
    std::vector<double> v;
    for (std::int64_t i = 0; i < s.elements(); ++i) v.push_back(std::sin(from + 1.7 * static_cast<double>(i)));
    return num(v, s);
}
template <class T> df::tensor<T> row(const std::vector<T>& v) { return df::tensor<T>(v, {1, 1, static_cast<std::int64_t>(v.size())}); }
int count(const std::string& text, const std::string& word) {
    int n = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++n;
    return n;
}
}  // namespace

TEST_CASE("conv: options by name; numbers for all axes, per axis, or pairs") {
    const num x = wave({1, 2, 5, 4}), k = wave({3, 2, 2, 2}, 0.9);
    const auto y = df::conv(x, k, {.stride = {2, 1}, .padding = {{1, 1}, {0, 0}}, .dilation = 1, .groups = 1});
    CHECK(y.shape() == std::vector<std::int64_t>{1, 3, 3, 3});
    DF_NEAR(df::conv(x, k, {.stride = 2, .padding = 1}), df::conv(x, k, {.stride = {2, 2}, .padding = {{1, 1}, {1, 1}}}), 0.0, 0.0);
    DF_NEAR(df::conv(x, k, {.padding = {1, 0}}), df::conv(df::pad(x, {{0, 0}, {0, 0}, {1, 1}, {0, 0}}, 0.0), k), 1e-14, 1e-14);
    DF_NEAR(df::conv(x, k, {.padding = std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {2, 0}}}),
            df::conv(df::pad(x, {{0, 0}, {0, 0}, {0, 1}, {2, 0}}, 0.0), k), 1e-14, 1e-14);
    DF_NEAR(df::conv(row<double>({1, 2, 3, 4}), row<double>({1, 10}), {.dilation = {2}}), {31, 42}, 0.0, 0.0);
}

TEST_CASE("conv: groups are convolutions side by side") {
    const num x = wave({2, 4, 5}), k = wave({6, 2, 3}, 0.9);
    const auto part = [&](std::int64_t g) { return df::conv(x(df::all, df::slice(2 * g, 2 * g + 2)), k[df::slice(3 * g, 3 * g + 3)]); };
    DF_NEAR(df::conv(x, k, {.groups = 2}), df::concatenate({part(0), part(1)}, 1), 1e-14, 1e-14);
}

TEST_CASE("conv: three spatial axes; integers; an empty batch; a kernel of one element") {
    const num x = wave({1, 1, 3, 3, 2}), k = wave({1, 1, 2, 3, 2});
    CHECK(df::conv(x, k).shape() == std::vector<std::int64_t>{1, 1, 2, 1, 1});
    CHECK(df::conv(row<std::int64_t>({1, 2, 3}), row<std::int64_t>({1, -1})).to_vector() == std::vector<std::int64_t>{-1, -1});
    CHECK(df::conv(df::zeros<double>({0, 1, 4}), wave({2, 1, 3})).shape() == std::vector<std::int64_t>{0, 2, 2});
    const num image = wave({2, 3, 4}), single = wave({2, 3, 1});
    DF_NEAR(df::conv(image, single), df::einsum("ncp,oc->nop", image, df::reshape(single, {2, 3})), 1e-14, 1e-14);
}

TEST_CASE("conv: derivatives of every form, to second order") {
    const df::conv_options forms[] = {{}, {.stride = 2, .padding = 1}, {.padding = {{2, 0}}, .dilation = 2}, {.stride = 3, .padding = {{1, 2}}, .dilation = 2, .groups = 2}};
    for (const auto& o : forms) {
        const num x = wave({2, 4, 7}), k = wave({2, 4 / o.groups, 2}, 0.9);
        const auto loss = [&](num a, num b) { return df::sum(df::sin(df::conv(a, b, o))); };
        CHECK_NOTHROW(df::check_grad([&](num a) { return loss(a, k); }, x));
        CHECK_NOTHROW(df::check_grad([&](num b) { return loss(x, b); }, k));
        const auto once = df::grad<0, 1>(loss);
        CHECK_NOTHROW(df::check_grad([&](num b) { return df::sum(df::square(std::get<0>(once(x, b)))); }, k));
        CHECK_NOTHROW(df::check_grad([&](num a) { return df::sum(df::square(std::get<1>(once(a, k)))); }, x));
    }
}

TEST_CASE("conv: lanes of images, kernels or both are one op") {
    const num images = wave({3, 1, 2, 5}), kernels = wave({3, 2, 2, 3}, 0.9);
    const auto text = [&](auto body) { return df::print(df::function(body).graph(images, kernels)); };
    const auto every = [](num x, num k) { return df::pfor(3, [&](df::index i) { return df::grad([&](num w) { return df::sum(df::square(df::conv(x[i], w))); })(k[0]); }); };
    CHECK(count(text(every), "loop") == 0);
    for (std::int64_t i = 0; i < 3; ++i)
        DF_NEAR(every(images, kernels)[i], df::grad([&](num w) { return df::sum(df::square(df::conv(images[i], w))); })(kernels[0]), 1e-13, 1e-13);
    const auto both = [](num x, num k) { return df::pfor(3, [&](df::index i) { return df::conv(x[i], k[i]); }); };
    CHECK(count(text(both), "conv") == 1);
    for (std::int64_t i = 0; i < 3; ++i) DF_NEAR(both(images, kernels)[i], df::conv(images[i], kernels[i]), 1e-13, 1e-13);
}

TEST_CASE("conv: sizes the compiler knows") {
    const auto x = df::zeros<float>({2, 3, 8}).as<2, 3, 8>();
    const auto k = df::zeros<float>({4, 3, 3}).as<4, 3, 3>();
    static_assert(std::is_same_v<decltype(df::conv(x, k)), df::tensor<float, 2, 4, 6>>);
    static_assert(std::is_same_v<decltype(df::conv(x, k, {.stride = 2})), df::tensor<float, 2, 4, df::dyn>>);
    static_assert(df::conv_rule({1, 2, 5}, {1, 3, 2}, true).wrong == df::complaint::channels);
    static_assert(df::conv_rule({1, 2, 3}, {1, 2, 4}, true).wrong == df::complaint::window);
    CHECK(df::conv(x, k).shape() == std::vector<std::int64_t>{2, 4, 6});
}

TEST_CASE("conv: what does not fit") {
    const num x = wave({1, 2, 5}), k = wave({3, 2, 2});
    DF_THROWS_WITH(df::conv(x[0], k), df::shape_error, "conv", "rank is too small", "double[2, 5]", "expand_dims", "conv_test.cpp");
    DF_THROWS_WITH(df::conv(x, wave({3, 2, 2, 2})), df::shape_error, "conv: the ranks differ", "double[3, 2, 2, 2]", "the same number of axes");
    DF_THROWS_WITH(df::conv(x, wave({3, 1, 2})), df::shape_error, "conv: the channels do not fit", "groups must divide");
    DF_THROWS_WITH(df::conv(x, wave({3, 1, 2}), {.groups = 2}), df::shape_error, "conv: the channels do not fit", "groups must divide");
    DF_THROWS_WITH(df::conv(x, wave({1, 2, 6})), df::shape_error, "conv: the window does not fit", "pad the input");
    DF_THROWS_WITH(df::conv(x, k, {.dilation = 5}), df::shape_error, "conv: the window does not fit");
    DF_THROWS_WITH(df::conv(x, k, {.stride = 0}), df::shape_error, "conv: the stride is 0", "give 1 or more");
    DF_THROWS_WITH(df::conv(x, k, {.dilation = -1}), df::shape_error, "conv: the dilation is -1", "give 1 or more");
    DF_THROWS_WITH(df::conv(x, k, {.padding = -1}), df::shape_error, "conv: the padding is -1", "give 0 or more");
    DF_THROWS_WITH(df::conv(x, k, {.stride = {1, 1}}), df::shape_error, "2 numbers for stride and 1 spatial axes", "one per spatial axis");
    DF_THROWS_WITH(df::conv(x, k, {.groups = 0}), df::shape_error, "groups is 0", "give 1 or more");
}
