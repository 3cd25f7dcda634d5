// Products in the body of pfor: every choice of which side varies, is transposed, or has batch axes.
#include "modes.hpp"

using namespace cases;

namespace {

// The product of two stacks of matrices, their batch axes broadcast, by plain loops.
numbers product(const numbers& a, const numbers& b) {
    const auto size = [](const numbers& x, std::size_t back) {
        return x.shape.size() < back ? 1 : x.shape[x.shape.size() - back];
    };
    const std::int64_t r = size(a, 2), inner = size(a, 1), c = size(b, 1);
    const std::size_t rank = std::max(a.shape.size(), b.shape.size());
    numbers want{std::vector<std::int64_t>(rank), {}};
    std::int64_t batch = 1;
    for (std::size_t back = rank; back > 2; --back) {
        want.shape[rank - back] = std::max(size(a, back), size(b, back));
        batch *= want.shape[rank - back];
    }
    want.shape[rank - 2] = r;
    want.shape[rank - 1] = c;
    const auto start = [&](const numbers& x, std::int64_t m) {  // of matrix m of the result, in x
        std::int64_t at = 0, stride = size(x, 2) * size(x, 1);
        for (std::size_t back = 3; back <= rank; ++back) {
            const std::int64_t i = m % want.shape[rank - back];
            m /= want.shape[rank - back];
            if (size(x, back) > 1) at += i * stride;
            stride *= size(x, back);
        }
        return at;
    };
    const auto at = [](const numbers& x, std::int64_t k) { return x.v[static_cast<std::size_t>(k)]; };
    for (std::int64_t m = 0; m < batch; ++m)
        for (std::int64_t i = 0; i < r; ++i)
            for (std::int64_t j = 0; j < c; ++j) {
                double s = 0;
                for (std::int64_t k = 0; k < inner; ++k)
                    s += at(a, start(a, m) + i * inner + k) * at(b, start(b, m) + k * c + j);
                want.v.push_back(s);
            }
    return want;
}

numbers transposed(const numbers& a) {  // the last two axes
    numbers t = a;
    const auto rank = a.shape.size();
    std::swap(t.shape[rank - 2], t.shape[rank - 1]);
    const auto r = static_cast<std::size_t>(a.shape[rank - 2]), c = static_cast<std::size_t>(a.shape[rank - 1]);
    for (std::size_t k = 0; k < a.v.size(); ++k) {
        const std::size_t m = k / (r * c), i = k / c % r, j = k % c;
        t.v[m * r * c + j * r + i] = a.v[k];
    }
    return t;
}

// Which of two operands vary by lane and which come transposed; the right answer is `product` of the logical operands.
void check_product(const std::vector<std::int64_t>& a_shape, const std::vector<std::int64_t>& b_shape, std::int64_t n,
                   int choice) {
    const bool turn_a = choice & 1, turn_b = choice & 2, lanes_a = choice & 4, lanes_b = choice & 8;
    INFO("n " << n << ", transposed " << turn_a << turn_b << ", varying " << lanes_a << lanes_b);
    const auto operand = [n](std::vector<std::int64_t> shape, bool lanes, double k) {
        if (lanes) shape.insert(shape.begin(), n);
        return wave(shape, k);
    };
    const numbers a = operand(a_shape, lanes_a, 0.7), b = operand(b_shape, lanes_b, 1.1);
    std::vector<numbers> want;
    for (std::int64_t i = 0; i < n; ++i) want.push_back(product(lanes_a ? row(a, i) : a, lanes_b ? row(b, i) : b));
    check_lanes(
        [=](const many& in, const df::index& i) -> many {
            num x = in[0], y = in[1];
            if (lanes_a) x = x[i];
            if (lanes_b) y = y[i];
            if (turn_a) x = df::moveaxis(x, -1, -2);
            if (turn_b) y = df::moveaxis(y, -1, -2);
            return {df::matmul(x, y)};
        },
        {turn_a ? transposed(a) : a, turn_b ? transposed(b) : b}, n, {stacked(want)});
}

}  // namespace

TEST_CASE("C16 an invariant matrix times a stacked one is one product and no copies") {
    const numbers a = mat({{1, 2}}), b = cube({{{1, 0}, {0, 1}}, {{1, 1}, {2, 0}}});
    check_lanes_in_both(
        []<class T>(const list<T>& in, const df::index& i) -> list<T> { return {df::matmul(in[0], in[1][i])}; }, {a, b},
        2, {cube({{{1, 2}}, {{5, 1}}})});
    const std::string text = graph_text(
        [](const many& in) -> many { return {df::pfor(2, [&](df::index i) { return df::matmul(in[0], in[1][i]); })}; },
        {a, b});
    INFO(text);
    CHECK(count(text, "contract") == 1);
    CHECK(count(text, "broadcast_to") == 0);
    CHECK(count(text, "concatenate") == 0);
    CHECK(count(text, "loop") == 0);
}

TEST_CASE("C17 matrix products: all transposes, all varying sides, as many lanes as the matrix has rows or columns") {
    for (std::int64_t n : {3, 5})
        for (int choice = 0; choice < 16; ++choice) check_product({3, 5}, {5, 7}, n, choice);
}

TEST_CASE("C17 batched products: all transposes, all varying sides") {
    for (int choice = 0; choice < 16; ++choice) check_product({2, 3, 5}, {2, 5, 4}, 3, choice);
}

TEST_CASE("C17 batched products with broadcast batch axes, n equal to a size of the operands") {
    for (int choice : {0, 4, 8, 12, 15}) {
        check_product({2, 1, 3, 4}, {3, 4, 2}, 3, choice);
        check_product({3, 4}, {2, 4, 2}, 2, choice);
        check_product({1, 3, 4}, {4, 4, 2}, 4, choice);
    }
}

TEST_CASE("C17 products with vectors in lanes") {
    const auto f = [](const many& in) -> many {
        return {df::matmul(in[0], in[1]), df::matmul(in[1], in[2]), df::matmul(in[1], in[1]), df::dot(in[1], in[1]),
                df::outer(in[1], in[2][0])};
    };
    check_agree(f,
                {{wave({2, 3}), wave({3}), wave({3, 2}, 0.3)}, {wave({2, 3}, 1.9), wave({3}, 2.1), wave({3, 2}, 1.3)}});
    check_values(f, {{{mat({{1, 2}, {3, 4}}), vec({5, 6}), mat({{1, 2}, {3, 4}})},
                      {vec({17, 39}), vec({23, 34}), scalar(61), scalar(61), mat({{5, 10}, {6, 12}})}}});
}

TEST_CASE("C19 einsum with either side, both or none stacked, and one that needs a transpose") {
    const numbers x = wave({2, 3, 4}, 0.9), y = wave({2, 4, 2}, 0.4);
    for (int choice = 0; choice < 4; ++choice) {
        const bool lanes_x = choice & 1, lanes_y = choice & 2;
        INFO("varying " << lanes_x << lanes_y);
        const numbers a = lanes_x ? x : row(x, 0), b = lanes_y ? y : row(y, 0);
        std::vector<numbers> want, turned;
        for (std::int64_t i = 0; i < 2; ++i) {
            want.push_back(product(lanes_x ? row(x, i) : a, lanes_y ? row(y, i) : b));
            turned.push_back(transposed(want.back()));
        }
        check_lanes(
            [=](const many& in, const df::index& i) -> many {
                num p = in[0], q = in[1];
                if (lanes_x) p = p[i];
                if (lanes_y) q = q[i];
                return {df::einsum("ab,bc->ac", p, q), df::einsum("cd,de->ec", p, q)};
            },
            {a, b}, 2, {stacked(want), stacked(turned)});
    }
    check_values([](const many& in) -> many { return {df::einsum("cd,ce->de", in[0], in[1])}; },
                 {{{mat({{1, 2}, {3, 4}}), mat({{5, 6}, {7, 8}})}, {mat({{26, 30}, {38, 44}})}}});
}
