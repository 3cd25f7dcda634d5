// Structures of tensors and flat lists of values: tuples, pairs, arrays, vectors and users' structs, nested in any way.
#pragma once
#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>

#include <df/ir/number.hpp>

namespace df::inline DF_ABI {

/// The customization point for structs that Hana's macro cannot take (templates, private members, more than 39 members):
/// a class says `static constexpr auto df_members() { return std::tuple{&S::a, &S::b}; }`, or for a class of somebody else
/// df::members<S> is specialized with the same function.
template <class S> struct members {};
template <class S> requires requires { S::df_members(); } struct members<S> {
    static constexpr auto df_members() { return S::df_members(); }
};

namespace detail {
template <class S> concept listed_struct = requires { members<S>::df_members(); };
template <class S> concept adapted_struct = boost::hana::Struct<S>::value;
template <class X> concept fixed_leaf = std::is_arithmetic_v<X> || std::is_enum_v<X> || std::same_as<X, std::string>;
template <class X> inline constexpr bool is_vector = false;
template <class E> inline constexpr bool is_vector<std::vector<E>> = true;
template <class X> inline constexpr bool is_pair = false;
template <class A, class B> inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class X> inline constexpr bool is_array = false;
template <class E, std::size_t N> inline constexpr bool is_array<std::array<E, N>> = true;
template <class X> concept tuple_like = requires { std::tuple_size<X>::value; };

/// What walks a structure: one virtual call per leaf, so that a structure's walk is compiled once for all purposes.
struct tree_visitor {
    virtual void leaf(ir::value& v, dtype t, const shape& declared) = 0;
    virtual void fixed(const void*, std::size_t) {}   // a number or text that is part of the structure
    ~tree_visitor() = default;
};

/// Calls leaf(tensor) for every tensor of x and fixed(pointer, bytes) for everything else, in order.
template <class X, class Leaf, class Fixed> void walk(X& x, const Leaf& leaf, const Fixed& fixed) {
    if constexpr (is_tensor<X> || is_number<X> || requires { X::df_columns; }) leaf(x);
    else if constexpr (std::same_as<X, std::string>) fixed(x.data(), x.size());
    else if constexpr (fixed_leaf<X>) fixed(&x, sizeof x);
    else if constexpr (is_vector<X>) {
        const auto n = x.size();
        fixed(&n, sizeof n);
        for (auto& e : x) walk(e, leaf, fixed);
    }
    else if constexpr (tuple_like<X>) std::apply([&](auto&... e) { (walk(e, leaf, fixed), ...); }, x);
    else if constexpr (listed_struct<X>) std::apply([&](auto... m) { (walk(x.*m, leaf, fixed), ...); }, members<X>::df_members());
    else if constexpr (adapted_struct<X>)
        boost::hana::for_each(boost::hana::accessors<X>(), [&](auto a) {
            auto&& member = boost::hana::second(a)(x);
            walk(const_cast<std::remove_cvref_t<decltype(member)>&>(member), leaf, fixed);
        });
    else static_assert(sizeof(X) == 0, "df: this type is not a tensor, number, tuple, array, vector or struct of them; adapt it with BOOST_HANA_ADAPT_STRUCT or give it df_members()");
}
template <class X> void visit(X& x, tree_visitor& v) {
    walk(x, [&](auto& t) { t.df_visit(v); }, [&](const void* data, std::size_t n) { v.fixed(data, n); });
}

/// The tensors of a structure in order, and (for a signature) everything else.
struct collector final : tree_visitor {
    ir::values found;
    core::list<std::int64_t> key;
    void leaf(ir::value& v, dtype t, const shape& declared) override;
    void fixed(const void* data, std::size_t n) override;
};
/// Puts values into a structure, checked against the declared sizes.
struct assigner final : tree_visitor {
    const ir::values& from;
    std::size_t next;
    place at;
    assigner(const ir::values& v, std::size_t k, place p) : from(v), next(k), at(p) {}
    void leaf(ir::value& v, dtype t, const shape& declared) override;
};

template <class X> void collect(const X& x, collector& c) { visit(const_cast<X&>(x), c); }
template <class X> ir::values leaves(const X& x) {
    collector c;
    collect(x, c);
    return std::move(c.found);
}
template <class X> X rebuilt(X x, const ir::values& v, place at) {
    assigner a(v, 0, at);
    visit(x, a);
    return x;
}

/// Throws shape_error unless both structures hold as many tensors.
void check_same_tree(const ir::values& a, const ir::values& b);

// A number that a body returns is a scalar tensor; an index too.
template <class X> auto lift(const X& x) {
    if constexpr (tensor_like<X>) return tensor_t<X>(x);
    else if constexpr (std::floating_point<X> || std::same_as<X, bool>) return scalar<X>(x);
    else if constexpr (std::integral<X>) return scalar<std::int64_t>(static_cast<std::int64_t>(x));
    else if constexpr (is_pair<X>) return std::pair{lift(x.first), lift(x.second)};
    else if constexpr (is_vector<X> || is_array<X>) return x;
    else if constexpr (tuple_like<X>) return std::apply([](const auto&... e) { return std::tuple{lift(e)...}; }, x);
    else return x;
}
template <class X> using lift_t = decltype(lift(std::declval<X>()));
}  // namespace detail

template <std::int64_t... N> struct lanes {};   // the argument of a struct template that is open to lanes

namespace detail {
template <class L, class T, std::int64_t... D> struct in_lanes {};
template <std::int64_t... N, class T, std::int64_t... D> struct in_lanes<lanes<N...>, T, D...> { using type = tensor<T, N..., D...>; };
// S<lanes<L…>> with one more lane in front; void for other types.
template <class S, std::int64_t N> struct relane { using type = void; };
template <template <class> class S, std::int64_t... L, std::int64_t N> struct relane<S<lanes<L...>>, N> { using type = S<lanes<N, L...>>; };

// Does a structure hold only tensors of any rank, so that more axes change nothing of its type?
template <class X> constexpr bool any_rank() {
    if constexpr (is_tensor<X>) return X::dims.any_rank();
    else if constexpr (fixed_leaf<X>) return true;
    else if constexpr (is_vector<X>) return any_rank<typename X::value_type>();
    else if constexpr (tuple_like<X>) return []<std::size_t... I>(std::index_sequence<I...>) { return (any_rank<std::tuple_element_t<I, X>>() && ...); }(std::make_index_sequence<std::tuple_size_v<X>>{});
    else if constexpr (listed_struct<X>) return std::apply([](auto... m) { return (any_rank<std::remove_cvref_t<decltype(std::declval<X&>().*m)>>() && ...); }, members<X>::df_members());
    else if constexpr (adapted_struct<X>) return boost::hana::unpack(boost::hana::accessors<X>(), [](auto... a) { return (any_rank<std::remove_cvref_t<decltype(boost::hana::second(a)(std::declval<X&>()))>>() && ...); });
    else return false;
}
}  // namespace detail

/// A member of a struct that is open to lanes: `template <class L = df::lanes<>> struct layer { df::in<L, float, 3, 4> w; };`
template <class L, class T, std::int64_t... D> using in = typename detail::in_lanes<L, T, D...>::type;

template <class S> class stacked;

namespace detail {
/// The next values of a flat list as a structure like `x` with a leading axis of N (or dyn) in front of every tensor.
template <std::int64_t N, class X> auto restack(const X& x, const ir::values& v, std::size_t& k, place at);
}  // namespace detail
template <class X, std::int64_t N = dyn> using stacked_t = decltype(detail::restack<N>(std::declval<const X&>(), std::declval<const ir::values&>(), std::declval<std::size_t&>(), place{}));

/// Many structs S whose members have static sizes: reads like a vector of S; `s[&S::w]` is the column of one member.
template <class S> class stacked {
public:
    static constexpr bool df_columns = true;
    stacked() = default;
    stacked(S one, ir::values columns) : one_(std::move(one)), columns_(std::move(columns)) {}
    const S& prototype() const { return one_; }
    extent size() const { return extent(columns_.empty() ? 0 : columns_[0].type().own().d[0]); }
    S operator[](const row_index& i) const {
        ir::values r;
        for (auto& c : columns_) r.push_back(detail::row(c, i));
        return detail::rebuilt(one_, r, i.at);
    }
    template <class M> auto operator[](M S::* m) const {
        struct finder final : detail::tree_visitor {
            const void* want = nullptr;
            std::size_t k = 0, found = 0;
            void leaf(ir::value& v, dtype, const shape&) override {
                if (static_cast<const void*>(&v) == want) found = k;
                ++k;
            }
        } f;
        struct marker final : detail::tree_visitor {
            const void* at = nullptr;
            void leaf(ir::value& v, dtype, const shape&) override { if (!at) at = &v; }
        } mark;   // the first tensor of the member is where its columns begin
        auto& one = const_cast<S&>(one_);
        detail::visit(one.*m, mark);
        f.want = mark.at;
        detail::visit(one, f);
        return detail::restack<dyn>(one_.*m, columns_, f.found, {});
    }
    void df_visit(detail::tree_visitor& v) {
        for (auto& c : columns_) v.leaf(c, c.element(), shape::any());
    }

private:
    S one_;
    ir::values columns_;
};

namespace detail {
template <std::int64_t N, class X> auto restack(const X& x, const ir::values& v, std::size_t& k, place at) {
    if constexpr (is_tensor<X>) {
        if constexpr (X::dims.any_rank()) return X(v[k++], raw);
        else return wrap<typename X::element, shape{N} + X::dims>(v[k++]);
    }
    else if constexpr (fixed_leaf<X>) return x;
    else if constexpr (is_vector<X>) {
        std::vector<decltype(restack<N>(x[0], v, k, at))> r;
        for (auto& e : x) r.push_back(restack<N>(e, v, k, at));
        return r;
    }
    else if constexpr (is_pair<X>) {
        auto a = restack<N>(x.first, v, k, at);
        auto b = restack<N>(x.second, v, k, at);
        return std::pair{std::move(a), std::move(b)};
    }
    else if constexpr (is_array<X>) return std::apply([&](auto&... e) { return std::array{restack<N>(e, v, k, at)...}; }, x);
    else if constexpr (tuple_like<X>) return std::apply([&](auto&... e) { return std::tuple{restack<N>(e, v, k, at)...}; }, x);
    else if constexpr (!std::is_void_v<typename relane<X, N>::type>) {
        typename relane<X, N>::type r;
        assigner a(v, k, at);
        visit(r, a);
        k = a.next;
        return r;
    }
    else if constexpr (any_rank<X>()) {
        X r = x;
        assigner a(v, k, at);
        visit(r, a);
        k = a.next;
        return r;
    }
    else {
        const auto n = leaves(x).size();
        stacked<X> r(x, ir::values(v.begin() + static_cast<std::ptrdiff_t>(k), v.begin() + static_cast<std::ptrdiff_t>(k + n)));
        k += n;
        return r;
    }
}
}  // namespace detail

/// Applies f to corresponding tensors of structures: `p = df::tree_map([](auto a, auto b) { return a - 0.1f * b; }, p, g)`.
template <class F, class S, class... R> S tree_map(const F& f, const S& first, const R&... rest) {
    const ir::values lists[] = {detail::leaves(first), detail::leaves(rest)...};
    for (auto& l : lists) detail::check_same_tree(lists[0], l);
    std::size_t k = 0;
    S result = first;
    detail::walk(result, [&](auto& t) {
        using T = std::remove_cvref_t<decltype(t)>;
        const auto y = [&]<std::size_t... I>(std::index_sequence<I...>) { return detail::lift(f(tensor<typename T::element>(lists[I][k], raw)...)); }(std::make_index_sequence<1 + sizeof...(R)>{});
        static_assert(std::same_as<element_t<decltype(y)>, typename T::element>, "df: tree_map: the function changes the dtype; write df::cast<T>(x)");
        t.rebind(y.value(), y.value() ? y.value()->at : place{});
        ++k;
    }, [](const void*, std::size_t) {});
    return result;
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
namespace df::inline DF_ABI::detail {
DF_FN void collector::leaf(ir::value& v, dtype, const shape&) {
    found.push_back(v);
    if (!v) {
        key.push_back(-1);
        return;
    }
    const auto& t = v.type();
    key.push_back(static_cast<std::int64_t>(t.element) * 64 + t.dims.n);
    key.insert(key.end(), t.dims.begin(), t.dims.end());
}
DF_FN void collector::fixed(const void* data, std::size_t n) {
    key.push_back(static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n; i += 8) {
        std::int64_t word = 0;
        std::memcpy(&word, static_cast<const char*>(data) + i, n - i < 8 ? n - i : 8);
        key.push_back(word);
    }
}
DF_FN void check_same_tree(const ir::values& a, const ir::values& b) {
    if (a.size() == b.size()) return;
    const auto& more = a.size() > b.size() ? a : b;
    throw shape_error("tree_map: the structures hold " + std::to_string(a.size()) + " and " + std::to_string(b.size()) + " tensors; give structures of the same form",
                      more.back() ? more.back()->at : place{});
}
DF_FN void assigner::leaf(ir::value& v, dtype, const shape& declared) {
    check_fits(from.at(next), declared, at);
    v = from[next++];
}
}  // namespace df::inline DF_ABI::detail
#endif
