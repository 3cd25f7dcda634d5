// Layout: views of views against plain copying, and the functions that move, cut and join.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/near.hpp>

#include <random>
#include <utility>
#include <vector>

namespace {

using num = df::tensor<double>;
using list = std::vector<std::int64_t>;

num counted(const df::shape& s) { return df::reshape(df::arange<double>(s.elements()), s); }

// ---- the model: plain row-major arrays, every op a copy
struct model {
    list sizes;
    std::vector<double> v;
};
std::int64_t product(const list& s) {
    std::int64_t n = 1;
    for (auto d : s) n *= d;
    return n;
}
// The element of every index of `sizes` is that of x at from(index).
template <class F> model copied(const model& x, const list& sizes, F from) {
    model r{sizes, {}};
    list i(sizes.size(), 0);
    for (std::int64_t k = 0; k < product(sizes); ++k) {
        const list j = from(i);
        std::int64_t at = 0;
        for (std::size_t a = 0; a < j.size(); ++a) at = at * x.sizes[a] + j[a];
        r.v.push_back(x.v[static_cast<std::size_t>(at)]);
        for (std::size_t a = i.size(); a-- > 0;) {
            if (++i[a] < sizes[a]) break;
            i[a] = 0;
        }
    }
    return r;
}

struct dice {
    std::mt19937 g;
    std::int64_t operator()(std::int64_t from, std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(from, to)(g); }
};

// Sizes that multiply to n, with axes of size 1 among them.
list factors(std::int64_t n, dice& roll) {
    list s;
    if (n == 0) {
        for (std::int64_t k = roll(1, 3); k > 0; --k) s.push_back(roll(0, 3));
        s[static_cast<std::size_t>(roll(0, static_cast<std::int64_t>(s.size()) - 1))] = 0;
        return s;
    }
    while (n > 1) {
        std::int64_t d = roll(2, n);
        while (n % d) --d;
        s.push_back(d == 1 ? n : d);
        n /= s.back();
    }
    for (std::int64_t ones = roll(0, 2); ones > 0; --ones) s.insert(s.begin() + roll(0, static_cast<std::int64_t>(s.size())), 1);
    return s;
}

// One random op on the model and the function that does the same with df.
using step = std::function<num(const num&)>;
std::pair<model, step> random_step(const model& x, dice& roll) {
    const auto rank = static_cast<std::int64_t>(x.sizes.size());
    switch (roll(0, 5)) {
        case 0: {
            list perm;
            for (std::int64_t a = 0; a < rank; ++a) perm.insert(perm.begin() + roll(0, a), a);
            list sizes;
            for (auto a : perm) sizes.push_back(x.sizes[static_cast<std::size_t>(a)]);
            return {copied(x, sizes, [=](const list& i) {
                        list j(i.size());
                        for (std::size_t a = 0; a < i.size(); ++a) j[static_cast<std::size_t>(perm[a])] = i[a];
                        return j;
                    }),
                    [=](const num& t) { return df::transpose(t, perm); }};
        }
        case 1: {
            list axes;
            for (std::int64_t a = 0; a < rank; ++a) if (roll(0, 1)) axes.push_back(roll(0, 1) ? a : a - rank);
            return {copied(x, x.sizes, [=](list i) {
                        for (auto a : axes) {
                            const auto k = static_cast<std::size_t>(a < 0 ? a + rank : a);
                            i[k] = x.sizes[k] - 1 - i[k];
                        }
                        return i;
                    }),
                    [=](const num& t) { return df::flip(t, axes); }};
        }
        case 2: {
            list sizes = x.sizes;
            for (auto& d : sizes) if (d == 1) d = roll(0, 3);
            const auto fresh = roll(0, 1);
            for (std::int64_t k = 0; k < fresh; ++k) sizes.insert(sizes.begin(), roll(1, 3));
            return {copied(x, sizes, [=](list i) {
                        i.erase(i.begin(), i.begin() + fresh);
                        for (std::size_t a = 0; a < i.size(); ++a) if (x.sizes[a] == 1) i[a] = 0;
                        return i;
                    }),
                    [=](const num& t) { return df::broadcast_to(t, sizes); }};
        }
        case 3: {
            if (rank == 0) return {x, [](const num& t) { return t; }};
            const auto axis = static_cast<std::size_t>(roll(0, rank - 1));
            const auto n = x.sizes[axis], first = roll(-n - 2, n + 2), last = roll(-n - 2, n + 2), by = roll(0, 1) ? roll(1, 3) : -roll(1, 3);
            std::vector<std::int64_t> kept;   // Python's slice, by its definition
            const auto clip = [&](std::int64_t i) { return by > 0 ? std::min(std::max(i, std::int64_t{0}), n) : std::min(std::max(i, std::int64_t{-1}), n - 1); };
            const auto b = clip(first < 0 ? first + n : first), e = clip(last < 0 ? last + n : last);
            for (auto i = b; by > 0 ? i < e : i > e; i += by) kept.push_back(i);
            list sizes = x.sizes;
            sizes[axis] = static_cast<std::int64_t>(kept.size());
            return {copied(x, sizes, [=](list i) {
                        i[axis] = kept[static_cast<std::size_t>(i[axis])];
                        return i;
                    }),
                    [=](const num& t) {
                        df::selection s[4] = {df::all, df::all, df::all, df::all};
                        if (axis >= 4) return df::moveaxis(df::moveaxis(t, static_cast<std::int64_t>(axis), 0)[df::slice(first, last, by)], 0, static_cast<std::int64_t>(axis));
                        s[axis] = df::slice(first, last, by);
                        for (std::size_t k = axis + 1; k < 4; ++k) s[k] = df::selection();
                        return t(s[0], s[1], s[2], s[3]);
                    }};
        }
        case 4: {
            if (roll(0, 1)) {
                const auto axis = roll(0, rank);
                list sizes = x.sizes;
                sizes.insert(sizes.begin() + axis, 1);
                return {model{sizes, x.v}, [=](const num& t) { return df::expand_dims(t, axis); }};
            }
            list sizes;
            for (auto d : x.sizes) if (d != 1) sizes.push_back(d);
            return {model{sizes, x.v}, [](const num& t) { return df::squeeze(t); }};
        }
        default: {
            const auto sizes = factors(product(x.sizes), roll);
            return {model{sizes, x.v}, [=](const num& t) { return df::reshape(t, sizes); }};
        }
    }
}
std::string differs(const num& got, const model& want) {
    if (list(got.shape()) != want.sizes) return "another shape: " + df::to_text(got.shape());
    return got.to_vector() == want.v ? "" : "other elements";
}

TEST_CASE("chains of views equal copying: reshape, permute, flip, broadcast, slice") {
    dice roll{std::mt19937(7)};
    for (int k = 0; k < df_test::runs(400, 20000); ++k) {
        list sizes;
        for (std::int64_t r = roll(0, 4); r > 0; --r) sizes.push_back(roll(0, 9) == 0 ? 0 : roll(1, 4));
        model x{sizes, {}};
        for (std::int64_t i = 0; i < product(sizes); ++i) x.v.push_back(static_cast<double>(i));
        const num start(x.v, sizes);
        std::vector<step> steps;
        for (int n = 0; n < 6; ++n) {
            auto [next, f] = random_step(x, roll);
            if (next.sizes.size() > 6 || product(next.sizes) > 3000) continue;
            x = next;
            steps.push_back(f);
        }
        const auto run = [&](num t) {
            for (auto& f : steps) t = f(t);
            return t;
        };
        INFO("chain " << k);
        CHECK(differs(run(start), x) == "");
        if (k % 8 == 0) {
            CHECK(differs(df::function([&](num t) { return run(t); })(start), x) == "");
            df::reference_mode scope;
            CHECK(differs(run(start), x) == "");
        }
    }
}

TEST_CASE("sizes known to the compiler stay known") {
    const df::tensor<double, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
    static_assert(std::is_same_v<decltype(df::reshape<3, 2>(x)), df::tensor<double, 3, 2>>);
    static_assert(std::is_same_v<decltype(df::reshape<-1>(x)), df::tensor<double, 6>>);
    static_assert(std::is_same_v<decltype(df::transpose(x)), df::tensor<double, 3, 2>>);
    static_assert(std::is_same_v<decltype(df::expand_dims(x, df::size<1>)), df::tensor<double, 2, 1, 3>>);
    static_assert(std::is_same_v<decltype(df::squeeze(df::expand_dims(x, df::size<1>))), df::tensor<double, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::squeeze(df::expand_dims(x, df::size<0>), df::size<0>)), df::tensor<double, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::broadcast_to<4, 2, 3>(x)), df::tensor<double, 4, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::flip(x)), df::tensor<double, 2, 3>>);
    static_assert(std::is_same_v<decltype(df::roll(x, 1)), df::tensor<double, 2, 3>>);
    DF_NEAR(df::transpose(x), {1, 4, 2, 5, 3, 6});
    DF_NEAR(df::squeeze(df::expand_dims(x, df::size<1>)), {1, 2, 3, 4, 5, 6});
}

TEST_CASE("reshape works out one size and names what does not fit") {
    const num x = counted({2, 6});
    CHECK(df::reshape(x, {3, -1}).shape() == df::shape{3, 4});
    CHECK(df::reshape(x, {-1}).shape() == df::shape{12});
    CHECK(df::reshape(x, {x.dim(1), 2}).shape() == df::shape{6, 2});
    CHECK(df::reshape(df::zeros<double>({0, 3}), {-1, 3}).shape() == df::shape{0, 3});
    CHECK(df::reshape(num(2.0), {1, 1}).shape() == df::shape{1, 1});
    CHECK(df::reshape(num{2.0}, {}).rank() == 0);
    DF_THROWS_WITH(df::reshape(x, {5, 2}), df::shape_error, "reshape: the element counts differ", "double[2, 6]", "layout_test.cpp");
    DF_THROWS_WITH(df::reshape(x, {5, -1}), df::shape_error, "reshape: the element counts differ");
    DF_THROWS_WITH(df::reshape(x, {-1, -1}), df::shape_error, "reshape: a size is negative", "one -1");
    DF_THROWS_WITH(df::reshape(x, {-3, 4}), df::shape_error, "reshape: a size is negative");
    DF_THROWS_WITH(df::reshape(x, {std::int64_t{1} << 40, std::int64_t{1} << 40}), df::shape_error, "reshape: the element counts differ");
    DF_THROWS_WITH(df::reshape(df::zeros<double>({0, 3}), {0, -1}), df::shape_error, "reshape: the element counts differ");
    DF_THROWS_WITH(df::reshape(num(), {1}), df::trace_error, "reshape: an operand is empty");
}

TEST_CASE("axes move as in NumPy") {
    const num x = counted({2, 3, 4});
    CHECK(df::transpose(x).shape() == df::shape{4, 3, 2});
    CHECK(df::transpose(x, {1, 2, 0}).shape() == df::shape{3, 4, 2});
    CHECK(df::transpose(x, {0, 1, 2}).shape() == df::shape{2, 3, 4});
    CHECK(df::permute(x, {-1, 0, 1}).shape() == df::shape{4, 2, 3});
    CHECK(df::moveaxis(x, 0, -1).shape() == df::shape{3, 4, 2});
    CHECK(df::moveaxis(x, {0, 1}, {-1, 0}).shape() == df::shape{3, 4, 2});
    CHECK(df::swapaxes(x, 0, -1).shape() == df::shape{4, 3, 2});
    CHECK(df::swapaxes(x, 1, 1).shape() == df::shape{2, 3, 4});
    CHECK(df::expand_dims(x, {0, -1}).shape() == df::shape{1, 2, 3, 4, 1});
    CHECK(df::squeeze(df::expand_dims(x, {0, -1}), {0, 4}).shape() == df::shape{2, 3, 4});
    DF_THROWS_WITH(df::transpose(x, {0, 1}), df::shape_error, "transpose: the ranks differ", "layout_test.cpp");
    DF_THROWS_WITH(df::permute(x, {0, 1, 1}), df::shape_error, "permute: an axis is repeated");
    DF_THROWS_WITH(df::moveaxis(x, 3, 0), df::shape_error, "moveaxis: the axis is out of range", "axis 3", "double[2, 3, 4]");
    DF_THROWS_WITH(df::moveaxis(x, {0, 1}, 0), df::shape_error, "moveaxis: 2 axes and 1 places");
    DF_THROWS_WITH(df::swapaxes(x, 0, 5), df::shape_error, "swapaxes: the axis is out of range");
    DF_THROWS_WITH(df::expand_dims(x, 4), df::shape_error, "expand_dims: the axis is out of range", "axis 4");
    DF_THROWS_WITH(df::squeeze(x, 1), df::shape_error, "squeeze: the axis is not of size 1", "double[2, 3, 4]");
    DF_THROWS_WITH(df::flip(x, {0, -3}), df::shape_error, "flip: an axis is repeated");
    DF_THROWS_WITH(df::broadcast_to(x, {2, 3}), df::shape_error, "broadcast_to: the sizes do not broadcast", "double[2, 3, 4]");
    DF_THROWS_WITH(df::broadcast_to(counted({2, 2}), {2, 3}), df::shape_error, "broadcast_to");
    DF_THROWS_WITH(df::broadcast_to(x, {-2, 2, 3, 4}), df::shape_error, "broadcast_to: a size is negative");
}

TEST_CASE("joins take whatever is a tensor of one dtype") {
    const num a{1, 2};
    const df::tensor<double, 2> b{3, 4};
    DF_NEAR(df::concatenate({a, b}), {1, 2, 3, 4});
    DF_NEAR(df::stack({b, a}, -1), {3, 1, 4, 2});
    DF_NEAR(df::concatenate(std::vector<num>{a, a, a}), {1, 2, 1, 2, 1, 2});
    DF_NEAR(df::stack(std::vector<df::tensor<double, 2>>{b, b}, 1), {3, 3, 4, 4});
    DF_NEAR(df::stack({num(1.0), num(2.0)}), {1, 2});
    DF_NEAR(df::stack({a[0], b[1]}), {1, 4});
    CHECK(df::pfor(2, [](df::index i) { return df::stack({i, i * 2, df::tensor<std::int64_t>(7)}); }).to_vector() == list{0, 0, 7, 1, 2, 7});
    CHECK(df::concatenate({df::tensor<bool>{true}, df::tensor<bool>{false}}).to_vector() == std::vector<bool>{true, false});
    DF_THROWS_WITH(df::concatenate({a, counted({2, 2})}), df::shape_error, "concatenate: the ranks differ", "double[2]", "double[2, 2]", "layout_test.cpp");
    DF_THROWS_WITH(df::concatenate({counted({1, 3}), counted({1, 2})}), df::shape_error, "concatenate: the sizes differ");
    DF_THROWS_WITH(df::concatenate({a, b}, 1), df::shape_error, "concatenate: the axis is out of range");
    DF_THROWS_WITH(df::stack({a, counted({3})}), df::shape_error, "stack: the sizes differ", "double[3]");
    DF_THROWS_WITH(df::stack({a, a}, 2), df::shape_error, "stack: the axis is out of range");
    DF_THROWS_WITH(df::stack(std::vector<num>{}), df::shape_error, "stack: there is nothing to join");
}

TEST_CASE("pad, roll and diagonal") {
    const num x = counted({2, 2});
    const df::tensor<float, 2> y{1, 2};
    DF_NEAR(df::pad(x, {{1, 0}, {0, 1}}, 7), {7, 7, 7, 0, 1, 7, 2, 3, 7});
    DF_NEAR(df::pad(x, {{0, 1}}), {0, 1, 0, 2, 3, 0, 0, 0, 0});
    DF_NEAR(df::pad(y, std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}}, y[1]), {2, 1, 2, 2});
    DF_NEAR(df::pad(num(5.0), {}), {5});
    DF_NEAR(df::roll(x, 1), {3, 0, 1, 2});
    DF_NEAR(df::roll(x, -5, 1), {1, 0, 3, 2});
    DF_NEAR(df::roll(x, {1, 1}, {0, 1}), {3, 2, 1, 0});
    DF_NEAR(df::roll(df::zeros<double>({0}), 3), std::vector<double>{});
    const num m = counted({3, 4});
    DF_NEAR(df::diagonal(m), {0, 5, 10});
    DF_NEAR(df::diagonal(m, 2), {2, 7});
    DF_NEAR(df::diagonal(m, -2), {8});
    CHECK(df::diagonal(m, 9).shape() == df::shape{0});
    CHECK(df::diagonal(counted({2, 3, 4})).shape() == df::shape{4, 2});
    CHECK(df::diagonal(counted({2, 3, 4}), 1, -2, -1).shape() == df::shape{2, 3});
    DF_THROWS_WITH(df::pad(x, {{1, 0}, {0, 1}, {0, 0}}), df::shape_error, "pad: 3 pairs", "double[2, 2]", "layout_test.cpp");
    DF_THROWS_WITH(df::pad(x, {{-1, 0}, {0, 1}}), df::shape_error, "pad: a size is negative");
    DF_THROWS_WITH(df::pad(x, {{1, 0}, {0, 1}}, num{1, 2}), df::shape_error, "pad: the fill is not a scalar");
    DF_THROWS_WITH(df::roll(x, 1, 2), df::shape_error, "roll: the axis is out of range");
    DF_THROWS_WITH(df::roll(x, {1, 2, 3}, {0, 1}), df::shape_error, "roll: 3 shifts for 2 axes");
    DF_THROWS_WITH(df::diagonal(num{1, 2}), df::shape_error, "diagonal: the rank is too small");
}

TEST_CASE("the derivative of pad with respect to its fill does not subtract infinities") {
    const double inf = std::numeric_limits<double>::infinity();
    const auto f = [&](num x, num fill) { return df::pad(x, {{1, 2}}, fill) * num{1, inf, 1, 1}; };
    const auto [y, pull] = df::vjp(f)(num{3.0}, num(2.0));
    const auto [dx, dfill] = pull(num{1, 1, 1, 1});
    DF_NEAR(dfill, {3});
    DF_NEAR(y, {2, inf, 2, 2});
}

}  // namespace
