// The sum of two products with equal labels is one product over a longer contracted axis, when the result is larger than
// the operands: the weight gradient of a recurrent net is then written once, not once per step.
#pragma once
#include <df/ops/contract.hpp>
#include <df/ops/cut.hpp>

namespace df::inline DF_ABI::pass {
/// One factor of a product: its operands and labels, and the contracted label along which it can be joined.
struct joinable_product {
    ir::value a, b;
    ir::ints la, lb, lo;
};
/// The product as one whose operands both begin with the contracted label `joined`; none has that label yet if it is fresh.
joinable_product with_joined(joinable_product p, std::int64_t joined);
/// p + q as one product, or empty when the labels differ or it would not pay.
ir::value joined_sum(joinable_product p, joinable_product q);
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
namespace df::inline DF_ABI::pass {
namespace detail {
inline bool begins_with(const ir::ints& l, std::int64_t x) { return !l.empty() && l[0] == x; }
// Is the first axis of both operands a contracted one?
inline bool joins(const joinable_product& p) {
    return !p.la.empty() && begins_with(p.lb, p.la[0]) && !ops::contains(p.lo, p.la[0]);
}
// Renames labels by their first appearance, so that equal structures have equal lists.
inline void canonical(joinable_product& p) {
    ir::ints seen;
    for (auto* list : {&p.lo, &p.la, &p.lb})
        for (auto& l : *list) {
            std::size_t i = 0;
            while (i < seen.size() && seen[i] != l) ++i;
            if (i == seen.size()) seen.push_back(l);
            l = static_cast<std::int64_t>(i);
        }
}
}  // namespace detail

DF_FN joinable_product with_joined(joinable_product p, std::int64_t joined) {
    p.a = ir::expand(p.a, {0});
    p.b = ir::expand(p.b, {0});
    p.la.insert(p.la.begin(), joined);
    p.lb.insert(p.lb.begin(), joined);
    return p;
}
DF_FN ir::value joined_sum(joinable_product p, joinable_product q) {
    constexpr std::int64_t fresh = 1 << 20;
    for (auto* x : {&p, &q}) if (!detail::joins(*x)) *x = with_joined(*x, fresh);
    detail::canonical(p);
    detail::canonical(q);
    if (p.la != q.la || p.lb != q.lb || p.lo != q.lo) return {};
    const auto joined = [&](const ir::value& x, const ir::value& y) {   // equal but for the first own axis
        const auto s = x.type().own(), t = y.type().own();
        return x.type().lanes == y.type().lanes && s.known() && t.known() && s.from(1) == t.from(1);
    };
    if (!joined(p.a, q.a) || !joined(p.b, q.b)) return {};
    std::int64_t result = 1;   // elements of one lane
    for (auto l : p.lo)
        for (std::size_t i = 0; i < p.la.size() + p.lb.size(); ++i) {
            const bool first = i < p.la.size();
            if ((first ? p.la[i] : p.lb[i - p.la.size()]) != l) continue;
            result *= first ? p.a.type().own().d[i] : p.b.type().own().d[i - p.la.size()];
            break;
        }
    const auto elements = [](const ir::value& x) { return x.type().own().elements(); };
    if (result < elements(p.a) + elements(p.b) + elements(q.a) + elements(q.b)) return {};
    return ir::contract(ir::concatenate({p.a, q.a}, 0), ir::concatenate({p.b, q.b}, 0), p.la, p.lb, p.lo);
}
}  // namespace df::inline DF_ABI::pass
#endif
