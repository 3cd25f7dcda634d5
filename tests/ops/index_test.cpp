// Indexing: subscripts against NumPy's rules, rows by number, and blocks at a place known when the program runs.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/near.hpp>

#include <random>
#include <vector>

namespace {

using num = df::tensor<double>;
using ints = df::tensor<std::int64_t>;
using list = std::vector<std::int64_t>;

num counted(const df::shape& s) { return df::reshape(df::arange<double>(s.elements()), s); }
std::int64_t product(const list& s) {
    std::int64_t n = 1;
    for (auto d : s) n *= d;
    return n;
}
void advance(list& i, const list& sizes) {
    for (std::size_t a = i.size(); a-- > 0;) {
        if (++i[a] < sizes[a]) return;
        i[a] = 0;
    }
}
std::int64_t flat(const list& i, const list& sizes) {
    std::int64_t at = 0;
    for (std::size_t a = 0; a < i.size(); ++a) at = at * sizes[a] + i[a];
    return at;
}
// The element of `v`, which broadcasts to `to`, at index i of `to`.
std::int64_t broadcast_at(const list& v, const list& sizes, const list& i) {
    list j;
    for (std::size_t a = 0; a < sizes.size(); ++a) j.push_back(sizes[a] == 1 ? 0 : i[i.size() - sizes.size() + a]);
    return v[static_cast<std::size_t>(flat(j, sizes))];
}

// One subscript of the model: an axis by number, by a slice (the places it names), by an index tensor, or a new axis.
struct subscript {
    enum class kind { number, range, tensor, fresh } what;
    std::int64_t n = 0;
    list values, sizes;   // range: the places; tensor: the elements and sizes
    df::selection given;
};

// NumPy's rule, by its definition: one index of x for every index of the result.
void check_subscripts(const num& x, const list& dims, const std::vector<subscript>& s) {
    using kind = subscript::kind;
    list together, basic;
    bool tensors = false, apart = false, before = false, seen = false;
    std::size_t in_front = 0;   // basic axes before the first advanced subscript
    for (auto& k : s) tensors |= k.what == kind::tensor;
    for (auto& k : s) {
        const bool advanced = tensors && (k.what == kind::tensor || k.what == kind::number);
        if (advanced) {
            apart |= seen && !before;
            if (!seen) in_front = basic.size();
            seen = true;
        }
        before = advanced;
        if (k.what == kind::range) basic.push_back(static_cast<std::int64_t>(k.values.size()));
        if (k.what == kind::fresh) basic.push_back(1);
        if (k.what != kind::tensor) continue;
        if (k.sizes.size() > together.size()) together.insert(together.begin(), k.sizes.size() - together.size(), 1);
        for (std::size_t a = 0; a < k.sizes.size(); ++a) {
            auto& d = together[together.size() - k.sizes.size() + a];
            if (k.sizes[a] != 1) d = k.sizes[a];
        }
    }
    if (apart) in_front = 0;
    list sizes = basic;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(in_front), together.begin(), together.end());

    df::selection given[8];
    for (std::size_t k = 0; k < s.size(); ++k) given[k] = s[k].given;
    const auto select = [&](const num& t) { return t(given[0], given[1], given[2], given[3], given[4], given[5], given[6], given[7]); };
    const num got = select(x);
    CHECK(list(got.shape()) == sizes);
    if (list(got.shape()) != sizes) return;
    const auto all = x.to_vector();
    std::vector<double> want;
    list i(sizes.size(), 0);
    for (std::int64_t e = 0; e < product(sizes); ++e, advance(i, sizes)) {
        const auto from = i.begin() + static_cast<std::ptrdiff_t>(in_front), to = from + static_cast<std::ptrdiff_t>(together.size());
        const list shared(from, to);
        list rest(i.begin(), from);
        rest.insert(rest.end(), to, i.end());
        list j;
        std::size_t axis = 0;
        for (auto& k : s) {
            const auto n = k.what == kind::fresh ? 0 : dims[j.size()];
            auto p = k.n;
            if (k.what == kind::range) p = k.values[static_cast<std::size_t>(rest[axis++])];
            if (k.what == kind::tensor) p = broadcast_at(k.values, k.sizes, shared);
            if (k.what == kind::fresh) ++axis;
            else j.push_back(p < 0 ? p + n : p);
        }
        want.push_back(all[static_cast<std::size_t>(flat(j, dims))]);
    }
    CHECK(got.to_vector() == want);
    CHECK(df::function([&](num t) { return select(t); })(x).to_vector() == want);
}

TEST_CASE("subscripts follow NumPy's rules for every mixture of numbers, slices, index tensors and new axes") {
    std::mt19937 g(11);
    const auto roll = [&](std::int64_t from, std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(from, to)(g); };
    const std::vector<list> tensor_sizes = {{2}, {1}, {3, 1}, {3, 2}, {1, 2}, {}};
    for (int run = 0; run < df_test::runs(150, 5000); ++run) {
        list dims;
        std::vector<subscript> s;
        std::string text;
        for (std::int64_t rank = roll(1, 4); rank > 0; --rank) dims.push_back(roll(2, 4));
        for (std::size_t axis = 0; axis < dims.size();) {
            const auto n = dims[axis];
            subscript k{};
            switch (roll(0, 4)) {
                case 0:
                    k.what = subscript::kind::number;
                    k.n = roll(-n, n - 1);
                    k.given = k.n;
                    text += std::to_string(k.n);
                    break;
                case 1:
                    k.what = subscript::kind::range;
                    for (std::int64_t p = 0; p < n; ++p) k.values.push_back(p);
                    k.given = df::all;
                    text += ":";
                    break;
                case 2:
                    k.what = subscript::kind::range;
                    for (auto p = n - 1; p >= 1; p -= 2) k.values.push_back(p);
                    k.given = df::slice(df::none, 0, -2);
                    text += ":0:-2";
                    break;
                case 3:
                    k.what = subscript::kind::tensor;
                    k.sizes = tensor_sizes[static_cast<std::size_t>(roll(0, 5))];
                    for (std::int64_t e = 0; e < product(k.sizes); ++e) k.values.push_back(roll(-n, n - 1));
                    k.given = ints(k.values, k.sizes);
                    text += "tensor" + df::to_text(df::shape(k.sizes));
                    break;
                default:
                    if (s.size() >= 7 - (dims.size() - axis)) continue;
                    k.what = subscript::kind::fresh;
                    k.given = df::none;
                    text += "none";
            }
            axis += k.what != subscript::kind::fresh;
            s.push_back(k);
            text += ", ";
        }
        INFO("x" << df::to_text(df::shape(dims)) << "(" << text << ")");
        check_subscripts(counted(dims), dims, s);
    }
}

TEST_CASE("subscripts on one axis, with int32 indices, and what they refuse") {
    const num x = counted({2, 3, 4});
    CHECK(x[-1].shape() == df::shape{3, 4});
    CHECK(x[df::none].shape() == df::shape{1, 2, 3, 4});
    CHECK(x[df::slice(0, 100)].shape() == df::shape{2, 3, 4});
    CHECK(x[df::slice(5, -5, INT64_MIN + 1)].shape() == df::shape{1, 3, 4});
    CHECK(x[ints{1, 1, 0}].shape() == df::shape{3, 3, 4});
    DF_NEAR(x(1, 2, df::tensor<std::int32_t>{3, 0}), {23, 20});
    DF_NEAR(x(ints(1), df::all, 0), {12, 16, 20});
    DF_THROWS_WITH(x[2], df::shape_error, "operator []: index 2 is out of range for axis 0 of double[2, 3, 4]", "index_test.cpp");
    DF_THROWS_WITH(x(0, 0, -5), df::shape_error, "operator []: index -5 is out of range for axis 0 of double[4]");
    DF_THROWS_WITH(x(0, 0, 0, 0), df::shape_error, "operator []: 4 subscripts for double[2, 3, 4]");
    DF_THROWS_WITH(x[df::slice(0, 2, 0)], df::shape_error, "slice: the step is 0");
    DF_THROWS_WITH(x[(ints{0, 2})], df::shape_error, "gather: index 2 is out of range for an axis of size 2", "index_test.cpp");
    DF_THROWS_WITH(x(ints{0, 1}, ints{0, -4}), df::shape_error, "gather: index -4 is out of range for an axis of size 3");
    DF_THROWS_WITH(x(ints{0, 1}, ints{0, 1, 2}), df::shape_error, "operator []: the sizes do not broadcast", "int64[3]");
    DF_THROWS_WITH(x[x > 3.0], df::shape_error, "operator []: a mask", "df::where");
    DF_THROWS_WITH(num(1.0)[0], df::shape_error, "operator []: the rank is too small");
    const auto staged = df::function([](num t, ints i) { return t[i]; });
    DF_THROWS_WITH(staged(x, ints{7}), df::shape_error, "gather: index 7 is out of range for an axis of size 2", "index_test.cpp");
}

TEST_CASE("rows by number: take, take_along_axis, scatter_add, one_hot") {
    const num x = counted({2, 3});
    DF_NEAR(df::take(x, 1, 1), {1, 4});
    DF_NEAR(df::take(x, ints{2, -1}, -1), {2, 2, 5, 5});
    DF_NEAR(df::take(x, ints{5, 0}), {5, 0});
    CHECK(df::take(x, ints{{0, 1}, {1, 0}}, 0).shape() == df::shape{2, 2, 3});
    CHECK(df::gather(x, ints(std::vector<std::int64_t>{}), 1).shape() == df::shape{2, 0});
    static_assert(std::is_same_v<decltype(df::take(df::tensor<double, 4, 5>(), df::tensor<std::int64_t, 2>(), df::size<1>)), df::tensor<double, 4, 2>>);
    static_assert(std::is_same_v<decltype(df::take(df::tensor<double, 4, 5>(), 0, df::size<0>)), df::tensor<double, 5>>);
    DF_NEAR(df::take_along_axis(x, ints{{2}, {-3}}, 1), {2, 3});
    DF_NEAR(df::take_along_axis(x, ints{{1, 0, 1}}, 0), {3, 1, 5});
    DF_NEAR(df::take_along_axis(num{4, 5, 6}, ints{2, 0}, 0), {6, 4});
    DF_NEAR(df::scatter_add(num{1, 1, 1}, ints{0, 2, 0}, num{1, 2, 3}), {5, 1, 3});
    DF_NEAR(df::scatter_add(df::zeros<double>({2, 3}), ints{-1, 0}, 1, 1), {1, 0, 1, 1, 0, 1});
    DF_NEAR(df::scatter_add(df::zeros<double>({3}), 1, 2.5), {0, 2.5, 0});
    DF_NEAR(df::one_hot<double>(ints{2, 0, 3, -1}, 3), {0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
    DF_NEAR(df::one_hot<float>(df::tensor<std::uint8_t>(std::uint8_t{1}), 2), {0, 1});
    DF_THROWS_WITH(df::take(x, 3, 1), df::shape_error, "take: index 3 is out of range for axis 1 of double[2, 3]", "index_test.cpp");
    DF_THROWS_WITH(df::take(x, ints{0}, 2), df::shape_error, "take: the axis is out of range");
    DF_THROWS_WITH(df::take_along_axis(x, ints{1, 2}, 1), df::shape_error, "take_along_axis: the ranks differ");
    DF_THROWS_WITH(df::take_along_axis(x, ints{{1}, {2}, {0}}, 1), df::shape_error, "take_along_axis: the sizes do not broadcast");
    DF_THROWS_WITH(df::scatter_add(x, ints{0}, counted({2, 3})), df::shape_error, "scatter_add: the sizes do not broadcast", "double[2, 3]");
    DF_THROWS_WITH(df::scatter_add(num{1, 2}, ints{2}, num{1}), df::shape_error, "scatter_add: index 2 is out of range for an axis of size 2");
}

TEST_CASE("blocks at a place: numbers, indices and vectors as starts") {
    const num x = counted({3, 4});
    DF_NEAR(df::dynamic_slice(x, {1, ints(2)}, {2, 2}), {6, 7, 10, 11});
    DF_NEAR(df::dynamic_slice(x, {1, 2}, {2, 2}), {6, 7, 10, 11});
    DF_NEAR(df::dynamic_slice(x, ints{1, 2}, {2, 2}), {6, 7, 10, 11});
    DF_NEAR(df::dynamic_slice(x, list{1, 2}, {2, 2}), {6, 7, 10, 11});
    for (std::int64_t at : {9, -1, -2, -9})   // a negative start counts from the end; then the block is moved inside
        CHECK(df::dynamic_slice(x, {at, 0}, {2, 1}).to_vector() == df::dynamic_slice(x, {ints(at), 0}, {2, 1}).to_vector());
    DF_NEAR(df::dynamic_slice(x, {ints(-9), 0}, {2, 1}), {0, 4});
    DF_NEAR(df::dynamic_slice(x, {ints(-2), 0}, {2, 1}), {4, 8});
    CHECK(df::dynamic_slice(x, {ints(1), 9}, {0, 2}).shape() == df::shape{0, 2});
    DF_NEAR(df::dynamic_slice(num(4.0), {}, {}), {4});
    DF_NEAR(df::dynamic_update_slice(df::zeros<double>({2, 3}), df::ones<double>({1, 2}), {ints(1), 9}), {0, 0, 0, 0, 1, 1});
    DF_NEAR(df::dynamic_update_slice(num{1, 2, 3}, num{7}, ints{1}), {1, 7, 3});
    DF_THROWS_WITH(df::dynamic_slice(x, {0, ints(0)}, {4, 1}), df::shape_error, "dynamic_slice: the range does not fit the axis", "double[3, 4]", "index_test.cpp");
    DF_THROWS_WITH(df::dynamic_slice(x, {0, 0}, {4, 1}), df::shape_error, "dynamic_slice: the range does not fit the axis");
    DF_THROWS_WITH(df::dynamic_slice(x, {0}, {1, 1}), df::shape_error, "dynamic_slice: 1 starts for 2 axes");
    DF_THROWS_WITH(df::dynamic_slice(x, {0, ints{1, 2}}, {1, 1}), df::shape_error, "dynamic_slice: a start is not an int64 scalar");
    DF_THROWS_WITH(df::dynamic_slice(x, {0, 0}, {1, -1}), df::shape_error, "dynamic_slice: a size is negative");
    DF_THROWS_WITH(df::dynamic_update_slice(x, num{1}, {0, 0}), df::shape_error, "dynamic_update_slice: the ranks differ");
}

TEST_CASE("blocks in lanes and their derivatives") {
    const num x = counted({3, 4});
    const auto windows = df::pfor(5, [&](df::index i) { return df::dynamic_slice(x, {0, i - 1}, {3, 2}); });
    for (std::int64_t i = 0; i < 5; ++i) CHECK(windows[i].to_vector() == df::dynamic_slice(x, {0, i - 1}, {3, 2}).to_vector());
    const auto at = [](num t, ints i) { return df::dynamic_slice(t * t, {i}, {2})[1] * t[0]; };
    DF_NEAR(df::grad(at)(num{1, 2, 3, 4}, ints(1)), {9, 0, 6, 0});
    const auto write = [](num t, num u) { return df::dynamic_update_slice(t, u * u, {ints(1)})[df::slice(0, 2)]; };
    const auto [dt, du] = df::jacobian<0, 1>(write)(num{1, 2, 3}, num{5, 6});
    DF_NEAR(dt, {1, 0, 0, 0, 0, 0});
    DF_NEAR(du, {0, 0, 10, 0});
    // every lane writes at its own place of a base and with an update that may be shared or its own
    const num updates = counted({3, 1});
    const auto rows = df::pfor(3, [&](df::index i) {
        return std::tuple(df::dynamic_update_slice(x[0], num{-1}, {i}), df::dynamic_update_slice(x[i], updates[i], {ints(0)}), df::dynamic_update_slice(x[i], updates[i], {i + 1}));
    });
    for (std::int64_t i = 0; i < 3; ++i) {
        CHECK(std::get<0>(rows)[i].to_vector() == df::dynamic_update_slice(x[0], num{-1}, {i}).to_vector());
        CHECK(std::get<1>(rows)[i].to_vector() == df::dynamic_update_slice(x[i], updates[i], {0}).to_vector());
        CHECK(std::get<2>(rows)[i].to_vector() == df::dynamic_update_slice(x[i], updates[i], {i + 1}).to_vector());
    }
}

TEST_CASE("several index tensors in lanes, and their derivative") {
    const num x = counted({3, 3});
    const auto f = [](num t, ints i, ints j) { return t(i, j) * t(i, j); };
    DF_NEAR(f(x, ints{0, 2}, ints{1, -1}), {1, 64});
    const auto J = df::jacobian(f)(x, ints{0, 0}, ints{1, 1});
    CHECK(J.shape() == df::shape{2, 3, 3});
    DF_NEAR(J[1], {0, 2, 0, 0, 0, 0, 0, 0, 0});
    const auto picked = df::pfor(3, [&](df::index i) { return x(df::stack({i, i * 0}), ints{2, 1}); });
    DF_NEAR(picked, {2, 1, 5, 1, 8, 1});
}

}  // namespace
