// Products by name: all of NumPy's cases, sizes of zero, integers, static results and messages.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/near.hpp>

namespace {

using num = df::tensor<double>;
template <class X, class Y> constexpr bool is = std::is_same_v<X, Y>;

const num a{{1, 2, 3}, {4, 5, 6}}, b{{1, 2}, {3, 4}, {5, 6}}, v{1, 2, 3}, w{1, 2};
template <class X> std::vector<std::int64_t> sizes_of(const X& x) { return x.shape(); }
using sizes = std::vector<std::int64_t>;
num zeros(const sizes& s) { return num(std::vector<double>(static_cast<std::size_t>(df::shape(s).elements())), s); }

TEST_CASE("matmul: vectors, matrices and stacks that broadcast") {
    DF_NEAR(df::matmul(a, b), {22, 28, 49, 64});
    DF_NEAR(df::matmul(a, v), {14, 32});
    DF_NEAR(df::matmul(w, a), {9, 12, 15});
    CHECK(df::matmul(v, v).item() == 14);
    CHECK(sizes_of(df::matmul(zeros({5, 1, 2, 3}), zeros({4, 3, 6}))) == sizes{5, 4, 2, 6});
    CHECK(sizes_of(df::matmul(zeros({4, 2, 3}), zeros({3}))) == sizes{4, 2});
    CHECK(sizes_of(df::matmul(zeros({2}), zeros({4, 2, 3}))) == sizes{4, 3});
    const num stack{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, one{{{1, 0}, {0, 2}}};
    DF_NEAR(df::matmul(stack, one), {1, 4, 3, 8, 5, 12, 7, 16});
    DF_NEAR(df::matmul(one, stack), {1, 2, 6, 8, 5, 6, 14, 16});
}

TEST_CASE("sizes of zero give zeros") {
    const auto y = df::matmul(zeros({2, 0}), zeros({0, 3}));
    CHECK(sizes_of(y) == sizes{2, 3});
    DF_NEAR(y, {0, 0, 0, 0, 0, 0});
    CHECK(sizes_of(df::matmul(zeros({0, 3}), zeros({3, 2}))) == sizes{0, 2});
    CHECK(sizes_of(df::outer(zeros({0}), v)) == sizes{0, 3});
    CHECK(df::dot(zeros({0}), zeros({0})).item() == 0);
    CHECK(sizes_of(df::einsum("bij,bjk->bik", zeros({0, 2, 3}), zeros({0, 3, 4}))) == sizes{0, 2, 4});
}

TEST_CASE("integers and bool multiply in their own dtype") {
    const df::tensor<std::int32_t> n{{1, 2}, {3, 4}};
    static_assert(is<decltype(df::matmul(n, n)), df::tensor<std::int32_t>>);
    DF_NEAR(df::matmul(n, n), {7, 10, 15, 22});
    DF_NEAR(df::einsum("ij->j", n), {4, 6});
    const df::tensor<bool> t{{true, false}, {true, true}};
    DF_NEAR(df::matmul(t, t), {1, 0, 1, 1});
}

TEST_CASE("dot, outer and tensordot as in NumPy") {
    DF_NEAR(df::dot(a, b), {22, 28, 49, 64});
    DF_NEAR(df::dot(num(2.0), v), {2, 4, 6});
    CHECK(sizes_of(df::dot(zeros({5, 4, 3}), zeros({2, 3, 6}))) == sizes{5, 4, 2, 6});
    DF_NEAR(df::outer(w, a), {1, 2, 3, 4, 5, 6, 2, 4, 6, 8, 10, 12});
    DF_NEAR(df::tensordot(a, b, 1), {22, 28, 49, 64});
    CHECK(df::tensordot(a, a).item() == 91);
    DF_NEAR(df::tensordot(w, v, 0), {1, 2, 3, 2, 4, 6});
    CHECK(df::tensordot(a, b, {1, 0}, {0, 1}).item() == 86);
    DF_NEAR(df::tensordot(a, b, {0}, {1}), {9, 19, 29, 12, 26, 40, 15, 33, 51});
    DF_NEAR(df::tensordot(a, b, {-1}, {0}), {22, 28, 49, 64});
}

TEST_CASE("results have static sizes where the operands do") {
    df::tensor<float, 2, 3> m;
    df::tensor<float, 3> x;
    df::tensor<float, df::dyn, 3> rows;
    static_assert(is<decltype(df::matmul(m, x)), df::tensor<float, 2>>);
    static_assert(is<decltype(df::matmul(rows, x)), df::tensor<float, df::dyn>>);
    static_assert(is<decltype(df::dot(m, x)), df::tensor<float, 2>>);
    static_assert(is<decltype(df::dot(x, x)), df::scalar<float>>);
    static_assert(is<decltype(df::outer(m, x)), df::tensor<float, 6, 3>>);
    static_assert(is<decltype(df::outer(rows, x)), df::tensor<float, df::dyn, 3>>);
}

TEST_CASE("einsum: letters, implicit results, diagonals, any number of operands") {
    const num q{{1, 2}, {3, 4}};
    DF_NEAR(df::einsum("ij,jk", a, b), {22, 28, 49, 64});
    DF_NEAR(df::einsum("ba,ac", b, a), {9, 12, 15, 19, 26, 33, 29, 40, 51});
    DF_NEAR(df::einsum("ij -> ji", a), {1, 4, 2, 5, 3, 6});
    DF_NEAR(df::einsum("ji", a), {1, 4, 2, 5, 3, 6});
    CHECK(df::einsum("ii", q).item() == 5);
    DF_NEAR(df::einsum("ii->i", q), {1, 4});
    DF_NEAR(df::einsum("ij,jk->i", a, b), {50, 113});
    CHECK(df::einsum("i,ij,j->", w, a, v).item() == 78);
    DF_NEAR(df::einsum("i,i,i,i,i,i,i,i->i", w, w, w, w, w, w, w, w), {1, 256});
    DF_NEAR(df::einsum("...i,...i->...", a, v), {14, 32});
    DF_NEAR(df::einsum("...,...", a, v), {1, 4, 9, 4, 10, 18});
    CHECK(sizes_of(df::einsum("...ij,jk->...ik", zeros({5, 4, 2, 3}), b)) == sizes{5, 4, 2, 2});
    DF_NEAR(df::grad([](num x) { return df::einsum("ii->", x); })(q), {1, 0, 0, 1});
    DF_NEAR(df::pfor(2, [&](df::index i) { return df::einsum("j,jk->k", a[i], b); }), {22, 28, 49, 64});
}

TEST_CASE("messages of products") {
    DF_THROWS_WITH(df::matmul(a, a), df::shape_error, "matmul: the inner sizes differ", "double[2, 3], double[2, 3]", "product_test.cpp");
    DF_THROWS_WITH(df::matmul(a, num(1.0)), df::shape_error, "matmul: the rank is too small");
    DF_THROWS_WITH(df::matmul(zeros({2, 2, 3}), zeros({3, 3, 2})), df::shape_error, "matmul: the sizes do not broadcast");
    DF_THROWS_WITH(df::dot(a, a), df::shape_error, "dot: the inner sizes differ", "product_test.cpp");
    DF_THROWS_WITH(df::tensordot(a, b, 3), df::shape_error, "tensordot: the rank is too small", "product_test.cpp");
    DF_THROWS_WITH(df::tensordot(a, b, {0}, {0}), df::shape_error, "tensordot: the sizes differ");
    DF_THROWS_WITH(df::tensordot(a, b, {0, 1}, {0}), df::shape_error, "tensordot: 2 axes");
    DF_THROWS_WITH(df::tensordot(a, b, {2}, {0}), df::shape_error, "tensordot", "out of range");
    DF_THROWS_WITH(df::einsum("ij,jk->ik", a, a), df::shape_error, "einsum: letter 'j' has sizes 3 and 2", "product_test.cpp");
    DF_THROWS_WITH(df::einsum("ij->ik", a), df::shape_error, "no operand has the result's letter 'k'");
    DF_THROWS_WITH(df::einsum("ij->ii", a), df::shape_error, "names 'i' twice");
    DF_THROWS_WITH(df::einsum("ijk", a), df::shape_error, "one letter per axis");
    DF_THROWS_WITH(df::einsum("i1", a), df::shape_error, "unexpected '1'");
    DF_THROWS_WITH(df::einsum("ij,j", a), df::shape_error, "2 terms for 1 operands");
    DF_THROWS_WITH(df::outer(num(), v), df::trace_error, "outer", "empty", "product_test.cpp");
}

}  // namespace
