// The one product: sums over shared labels of two operands. matmul, dot, outer, einsum lower to it, and batching it only
// adds a label.
#pragma once
#include <df/ops/reduce.hpp>

namespace df::inline DF_ABI {
namespace op {
/// out[o…] = Σ a[l…] · b[m…]. Attributes `a`, `b`, `out`: a label per axis. Every label of an operand is in the other
/// operand or in the result.
extern const ir::op_def contract;
}  // namespace op

namespace ir {
value contract(const value& a, const value& b, const ints& la, const ints& lb, const ints& lo, place where = {});
}  // namespace ir

namespace ops {
/// The loops of a contraction at a site: a size per label and the stride of each operand along it (0: absent).
struct contraction {
    struct loop {
        std::int64_t n = 1, a = 0, b = 0, out = 0;
        bool in_a = false, in_b = false, in_out = false;
    };
    std::vector<loop> loops;
    explicit contraction(const ir::site& s);
};
/// The sizes of the labels `out` of two operands whose leading axes, all but `trailing`, are labelled; checks labels and dtypes.
shape labelled_sizes(ir::inference& q, int trailing);
/// Labels of `out` map, the others are reduced; axes that follow the labelled ones are windows.
axes labelled_axes(const ir::axes_query& q);
}  // namespace ops
}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI {
namespace ir {
DF_FN value contract(const value& a, const value& b, const ints& la, const ints& lb, const ints& lo, place where) {
    return emit_one(op::contract, {a, b}, {{"a", la}, {"b", lb}, {"out", lo}}, where);
}
}  // namespace ir

namespace ops {
DF_FN contraction::contraction(const ir::site& s) {
    const auto add = [&](std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t out, bool in_a, bool in_b, bool in_out) {
        loops.push_back({n, a, b, out, in_a, in_b, in_out});
    };
    for (int i = 0; i < s.lanes; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const auto sa = s.in[0].strides.d[k], sb = s.in[1].strides.d[k];
        add(s.out[0].dims.d[k], sa, sb, s.out[0].strides.d[k], sa != 0, sb != 0, true);
    }
    const auto &la = s.at.list("a"), &lb = s.at.list("b"), &lo = s.at.list("out");
    const auto find = [&](const ir::ints& l, std::int64_t label) {
        for (std::size_t i = 0; i < l.size(); ++i) if (l[i] == label) return static_cast<int>(i);
        return -1;
    };
    const auto stride = [&](const core::layout& l, int i) { return i < 0 ? 0 : l.strides.d[i + s.lanes]; };
    ir::ints all = lo;
    for (auto l : la) if (!contains(all, l)) all.push_back(l);
    for (auto l : all) {
        const int i = find(la, l), j = find(lb, l), o = find(lo, l);
        const auto n = i >= 0 ? s.in[0].dims.d[i + s.lanes] : s.in[1].dims.d[j + s.lanes];
        add(n, stride(s.in[0], i), stride(s.in[1], j), stride(s.out[0], o), i >= 0, j >= 0, o >= 0);
    }
}
DF_FN shape labelled_sizes(ir::inference& q, int trailing) {
    const auto &la = q.at.list("a"), &lb = q.at.list("b"), &lo = q.at.list("out");
    const auto complain = [&](complaint c) { q.give(q.in[0].element, ruled(c)); };
    if (static_cast<int>(la.size()) + trailing != q.dims(0).n || static_cast<int>(lb.size()) + trailing != q.dims(1).n) complain(complaint::subscripts);
    if (q.in[0].element != q.in[1].element) throw dtype_error(std::string(q.op.name) + ": mixed dtypes " + name_of(q.in[0].element) + " and " + name_of(q.in[1].element) + "; write df::cast<T>(x)", q.where);
    for (std::size_t i = 0; i < la.size(); ++i)
        for (std::size_t j = 0; j < lb.size(); ++j)
            if (la[i] == lb[j] && clash(q.dims(0).d[i], q.dims(1).d[j])) complain(complaint::sizes);
    const auto once = [&](const ir::ints& list, const ir::ints& other) {   // no diagonal; what is summed is in both
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) if (list[i] == list[j]) complain(complaint::repeated);
            if (!contains(lo, list[i]) && !contains(other, list[i])) complain(complaint::subscripts);
        }
    };
    once(la, lb);
    once(lb, la);
    once(lo, lo);
    shape to;
    for (auto l : lo) {
        std::int64_t n = dyn;
        for (std::size_t i = 0; i < la.size(); ++i) if (la[i] == l) n = q.dims(0).d[i];
        for (std::size_t j = 0; n == dyn && j < lb.size(); ++j) if (lb[j] == l) n = q.dims(1).d[j];
        if (n == dyn) complain(complaint::subscripts);
        to.push_back(n);
    }
    return to;
}
DF_FN axes labelled_axes(const ir::axes_query& q) {
    axes r;
    std::vector<std::int64_t> known;
    const auto& lo = q.at.list("out");
    const auto of = [&](const ir::ints& list, int rank) {
        labels l;
        for (auto x : list) {
            std::size_t k = 0;
            while (k < known.size() && known[k] != x) ++k;
            if (k == known.size()) {
                known.push_back(x);
                r.fresh(contains(lo, x) ? role::map : role::reduce);
            }
            l.push_back(static_cast<int>(k));
        }
        return std::pair(l, rank);
    };
    std::pair<labels, int> all[] = {of(q.at.list("a"), q.in[0].own_rank()), of(q.at.list("b"), q.in[1].own_rank()), of(lo, q.out[0].own_rank())};
    for (auto& [l, rank] : all) while (static_cast<int>(l.size()) < rank) l.push_back(r.fresh(role::window));
    r.in = {all[0].first, all[1].first};
    r.out = {all[2].first};
    return r;
}
namespace detail {
template <class T> void contract_loops(const shape& out, const std::array<shape, 3>& walk, const shape& inner, const std::array<shape, 2>& inner_walk, void* const* io) {
    using A = std::conditional_t<std::is_same_v<T, float>, double, T>;
    const T* a = static_cast<const T*>(io[0]);
    const T* b = static_cast<const T*>(io[1]);
    T* r = static_cast<T*>(io[2]);
    each<3>(out, walk, [&](std::int64_t p, std::int64_t q, std::int64_t o) {
        A sum{};
        each<2>(inner, inner_walk, [&](std::int64_t x, std::int64_t y) { sum = static_cast<A>(fn::add{}(sum, static_cast<A>(fn::multiply{}(static_cast<A>(a[p + x]), static_cast<A>(b[q + y]))))); });
        r[o] = static_cast<T>(sum);
    });
}
}  // namespace detail
}  // namespace ops

namespace op {
DF_RECORD ir::op_def contract{
    .name = "contract",
    .doc = "the sum over shared labels of two operands",
    .infer = [](ir::inference& q) { q.give(q.in[0].element, ops::labelled_sizes(q, 0)); },
    .axes = ops::labelled_axes,
    .kernel = [](const ir::site& s) -> ir::kernel_ptr {
        const ops::contraction c(s);
        shape out, inner;
        std::array<shape, 3> walk;
        std::array<shape, 2> inner_walk;
        for (auto& l : c.loops) {
            if (l.in_out) {
                out.push_back(l.n);
                walk[0].push_back(l.a);
                walk[1].push_back(l.b);
                walk[2].push_back(l.out);
            } else {
                inner.push_back(l.n);
                inner_walk[0].push_back(l.a);
                inner_walk[1].push_back(l.b);
            }
        }
        return with_type(s.out[0].element, [&](auto t) -> ir::kernel_ptr {
            using T = decltype(t);
            return ops::make_kernel([=](void* const* io) { ops::detail::contract_loops<T>(out, walk, inner, inner_walk, io); });
        });
    },
    .transpose = [](args r, int k) {
        const auto me = static_cast<std::size_t>(k);
        const auto &mine = r.at.list(k ? "b" : "a"), &other = r.at.list(k ? "a" : "b"), &lo = r.at.list("out");
        return ir::contract(r.ct[0], r.in[1 - me], lo, other, mine);
    },
    .linear = 3,
    .combines = &ops::detail::plain<add, ops::detail::zero_of>,
    .samples = "f(2,3) f(3,4) a=0,1 b=1,2 out=0,2; f(3) f(3) a=0 b=0 out=; f(2) f(3) a=0 b=1 out=1,0; f(2,3,4) f(2,4,1) a=0,1,2 b=0,2,3 out=0,1,3; f(2,0) f(0,3) a=0,1 b=1,2 out=0,2",
};
}  // namespace op
}  // namespace df::inline DF_ABI
#endif
