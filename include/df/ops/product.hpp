// Products with names: matmul. All lower to `contract`.
#pragma once
#include <df/ops/public.hpp>

namespace df::inline DF_ABI {

/// Shape of NumPy's matmul.
constexpr ruled matmul_rule(const shape& a, const shape& b) {
    if (a.any_rank() || b.any_rank()) return shape::any();
    if (a.n == 0 || b.n == 0) return complaint::rank;
    if (clash(a.d[a.n - 1], b.d[b.n > 1 ? b.n - 2 : 0])) return complaint::inner;
    const ruled batch = broadcast_rule(a.n > 2 ? a.first(a.n - 2) : shape{}, b.n > 2 ? b.first(b.n - 2) : shape{});
    if (batch.wrong != complaint::none) return batch;
    shape r = batch.s;
    if (a.n > 1) r.push_back(a.d[a.n - 2]);
    if (b.n > 1) r.push_back(b.d[b.n - 1]);
    return r;
}
namespace detail {
ir::value matmul(const ir::value& a, const ir::value& b, place at);
}  // namespace detail

/// The matrix product in all of NumPy's forms: vectors, matrices, stacks of them whose leading axes broadcast.
/// Throws shape_error when the inner sizes differ or an operand is a scalar.
template <tensor_like A, tensor_like B> auto matmul(const A& a, const B& b, place at = place::here()) {
    static_assert(std::same_as<element_t<A>, element_t<B>>, "df: matmul: the dtypes differ; write df::cast<T>(x)");
    constexpr ruled r = matmul_rule(tensor_t<A>::dims, tensor_t<B>::dims);
    DF_ASSERT_RULE("matmul", r);
    return wrap<element_t<A>, r.s>(detail::matmul(a.value(), b.value(), at));
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <df/ops/contract.hpp>

namespace df::inline DF_ABI::detail {
/// Runs a rule on run-time shapes and throws its complaint with the operands' types.
inline shape ruled_shape(const char* who, const ruled& r, std::initializer_list<ir::value> in, place at) {
    if (r.wrong == complaint::none) return r.s;
    std::string m = std::string(who) + ": " + to_text(r.wrong) + ": ";
    bool first = true;
    for (auto& v : in) {
        m += (first ? "" : ", ") + ir::to_text(v.type());
        first = false;
    }
    throw shape_error(m + "; " + ir::advice(r.wrong), at);
}
DF_FN ir::value matmul(const ir::value& a, const ir::value& b, place at) {
    checked_axis(a ? -a.rank() : 0, a, "matmul", at), checked_axis(b ? -b.rank() : 0, b, "matmul", at);
    const auto to = ruled_shape("matmul", matmul_rule(a.type().own(), b.type().own()), {a, b}, at);
    // Labels: 0 rows, 1 columns, 2 depth, 3… batch axes from the back; a batch axis of size 1 that stretches is dropped.
    const auto batches = [](const shape& s) { return s.n > 2 ? s.n - 2 : 0; };
    const int na = batches(a.type().own()), nb = batches(b.type().own()), n = na > nb ? na : nb;
    ir::ints la, lb, lo;
    const auto operand = [&](const ir::value& x, int count, int other_count, const shape& other, ir::ints& l) {
        const auto s = x.type().own();
        shape kept;
        for (int i = 0; i < count; ++i) {
            const int from_back = count - i, j = other_count - from_back;
            const bool stretches = s.d[i] == 1 && j >= 0 && other.d[j] != 1;
            if (stretches) continue;
            l.push_back(3 + n - from_back);
            kept.push_back(s.d[i]);
        }
        return ir::reshape(x, kept + s.from(count), at);
    };
    const auto x = operand(a, na, nb, b.type().own(), la), y = operand(b, nb, na, a.type().own(), lb);
    for (int i = 0; i < n; ++i) lo.push_back(3 + i);
    if (a.rank() > 1) la.push_back(0), lo.push_back(0);
    la.push_back(2);
    lb.push_back(2);
    if (b.rank() > 1) lb.push_back(1), lo.push_back(1);
    return ir::reshape(ir::contract(x, y, la, lb, lo, at), to, at);
}
}  // namespace df::inline DF_ABI::detail
#endif
