// The handle users hold: df::tensor<T, Dims...>, concrete or staged, with the sizes the compiler knows.
#pragma once
#include <array>
#include <concepts>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <df/core/rule.hpp>
#include <df/ir/extent.hpp>
#include <df/ir/operators.hpp>

namespace df::inline DF_ABI {

/// "Nothing here": a new axis in a subscript, an argument that is not mapped, an open end of a slice.
struct none_t {};
inline constexpr none_t none{};
struct all_t;   // "the whole axis" in a subscript: df::all, of ops/reduce.hpp

/// `df::slice(begin, end, step)` in a subscript: as in NumPy; `df::none` for an open end.
struct slice {
    static constexpr std::int64_t open = INT64_MIN;
    std::int64_t begin = open, end = open, step = 1;
    template <class A = none_t, class B = none_t> slice(A a = {}, B b = {}, std::int64_t s = 1) : begin(bound(a)), end(bound(b)), step(s) {}

private:
    static std::int64_t bound(none_t) { return open; }
    static std::int64_t bound(std::int64_t n) { return n; }
};

/// What `t[i]` takes: a number or an index, and the user's line.
struct row_index {
    ir::value v;            // empty: `n`
    std::int64_t n = 0;
    place at;
    template <std::integral I> row_index(I i, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : n(static_cast<std::int64_t>(i)), at{f, l} {}
    template <tensor_of<std::int64_t> I> requires(tensor_t<I>::dims.rank() == 0)
    row_index(const I& i, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : v(i.value()), at{f, l} {}
};

/// What `t(…)` takes for one axis: a number, an index, a slice, an index tensor, a mask, `df::all` or `df::none`.
struct selection {
    enum class kind : char { absent, whole, new_axis, number, range, indices };
    kind what = kind::absent;
    std::int64_t n = 0;
    slice range;
    ir::value v;
    place at;
    selection() = default;
    selection(const all_t&, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : what(kind::whole), at{f, l} {}
    selection(none_t, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : what(kind::new_axis), at{f, l} {}
    selection(slice s, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : what(kind::range), range(s), at{f, l} {}
    template <std::integral I> selection(I i, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : what(kind::number), n(static_cast<std::int64_t>(i)), at{f, l} {}
    template <tensor_like I> requires std::same_as<element_t<I>, std::int64_t> || std::same_as<element_t<I>, std::int32_t> || std::same_as<element_t<I>, bool>
    selection(const I& i, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : what(kind::indices), v(i.value()), at{f, l} {}
};

/// What `t[…]` takes besides a number: a slice, a mask, `df::none`, or an index tensor of some rank.
struct part : selection {
    part(slice s, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : selection(s, f, l) {}
    part(none_t, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : selection(none, f, l) {}
    part(const all_t& a, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : selection(a, f, l) {}
    template <tensor_like I> requires(tensor_t<I>::dims.rank() != 0 && !std::floating_point<element_t<I>>)
    part(const I& i, const char* f = __builtin_FILE(), int l = __builtin_LINE()) : selection(i, f, l) {}
};

namespace detail {
// What the handle does without templates.
ir::value from_elements(dtype t, const void* data, std::size_t count, const shape& s, place at);
ir::value from_strided(dtype t, const void* data, const shape& s, const shape& strides, place at);
void check_fits(const ir::value& v, const shape& declared, place at);
const void* elements_of(const ir::value& v, const char* who, place at);   // contiguous
void check_single(const ir::value& v, const char* who, place at);
shape map_sizes(const ir::value& v, std::int64_t rows, std::int64_t columns, place at);
bool truth(const ir::value& v);
extent extent_of(const ir::value& v, std::int64_t axis, place at);
extent count_of(const ir::value& v);
ir::value row(const ir::value& x, const row_index& i);
ir::value select_parts(const ir::value& x, const selection* s, int n, place at);
[[noreturn]] void ragged_list(place at);

// Nested lists and vectors: the elements in order, and the sizes of the first element of each level.
template <class T, class L> void flatten(const L& list, std::vector<T>& out, shape& s, int depth, place at) {
    if constexpr (std::convertible_to<L, T>) {
        if constexpr (std::is_arithmetic_v<L> && !std::same_as<L, bool>) out.push_back(checked_number<T>(list, at));
        else out.push_back(static_cast<T>(list));
    } else {
        const auto n = static_cast<std::int64_t>(list.size());
        if (depth >= s.n) s.push_back(n);
        else if (s.d[depth] != n) ragged_list(at);
        for (const auto& x : list) flatten<T>(x, out, s, depth + 1, at);
    }
}
// Bytes in place of bool, since std::vector<bool> has no array of bool.
template <class T> using listed = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

// A number of a list whose numbers have several types.
template <class T> struct list_number {
    T x;
    template <literal_for<T> U> list_number(U u, place at = place::here()) : x(checked_number<T>(u, at)) {}
    operator T() const { return x; }
};

// An Eigen object or anything that looks like one; no Eigen header is needed to recognise it.
template <class M> concept matrix_like = requires(const M& m) {
    typename M::Scalar;
    { m.rows() } -> std::convertible_to<std::int64_t>;
    { m.cols() } -> std::convertible_to<std::int64_t>;
    M::IsRowMajor;
};
template <class M> concept matrix_in_memory = matrix_like<M> && requires(const M& m) {
    { m.data() } -> std::convertible_to<const typename M::Scalar*>;
    { m.innerStride() } -> std::convertible_to<std::int64_t>;
    { m.outerStride() } -> std::convertible_to<std::int64_t>;
};
template <matrix_like M> constexpr bool is_one_axis = M::ColsAtCompileTime == 1 || M::RowsAtCompileTime == 1;
template <matrix_in_memory M> shape sizes_of(const M& m) { return is_one_axis<M> ? shape{m.rows() * m.cols()} : shape{m.rows(), m.cols()}; }
template <matrix_in_memory M> shape strides_of(const M& m) {
    const std::int64_t in = m.innerStride(), out = m.outerStride();
    return is_one_axis<M> ? shape{in} : M::IsRowMajor ? shape{out, in} : shape{in, out};
}
// Elements side by side in memory: std::vector, std::array, std::span.
template <class V, class T>
concept elements_in_memory = !matrix_like<V> && !tensor_like<V> && requires(const V& v) {
    { v.data() } -> std::convertible_to<const T*>;
    { v.size() } -> std::convertible_to<std::size_t>;
};
template <class V, class T> concept flat_list = elements_in_memory<V, T> || std::same_as<V, std::vector<bool>>;
// The element type of a list of lists of … numbers, or void.
template <class V> struct innermost { using type = void; };
template <class V> requires(!matrix_like<V> && !tensor_like<V> && requires(const V& v) { v.begin(); v.size(); typename V::value_type; })
struct innermost<V> { using type = typename innermost<typename V::value_type>::type; };
template <element T> struct innermost<T> { using type = T; };
template <class V> using innermost_t = typename innermost<V>::type;
template <class V, class T> concept nested_list = std::same_as<innermost_t<V>, T> && !element<V> && !flat_list<V, T>;
}  // namespace detail

/// An n-dimensional array of T: a cheap shared handle, immutable, either concrete (owns numbers) or staged (stands for a
/// result of the function being traced). `tensor<T>` has any rank and sizes; `tensor<T, 28, df::dyn>` has sizes the
/// compiler knows, in part or whole; `scalar<T>` has rank 0.
template <element T, std::int64_t... D> class tensor : public arithmetic<tensor<T, D...>> {
public:
    using element = T;
    static constexpr df::shape dims = shape_of<D...>;
    template <int N> static constexpr bool takes_list = dims.any_rank() || dims.rank() == N;
    template <class U> using list = std::initializer_list<U>;
    using any_number = detail::list_number<T>;

    tensor() = default;
    tensor(ir::value v, raw_t) : v_(std::move(v)) {}

    /// A scalar.
    template <literal_for<T> L> requires(dims.rank() <= 0) tensor(L x, place at = place::here()) : v_(detail::literal_value<T>(x, at)) {}
    /// A vector, matrix, … of the listed elements.
    template <literal_for<T> U> requires(takes_list<1>) tensor(std::initializer_list<U> x, place at = place::here()) { fill(x, at); }
    template <literal_for<T> U> requires(takes_list<2>) tensor(std::initializer_list<std::initializer_list<U>> x, place at = place::here()) { fill(x, at); }
    template <literal_for<T> U> requires(takes_list<3>) tensor(std::initializer_list<std::initializer_list<std::initializer_list<U>>> x, place at = place::here()) { fill(x, at); }
    template <literal_for<T> U> requires(takes_list<4>) tensor(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<U>>>> x, place at = place::here()) { fill(x, at); }
    // Of numbers of several types, `{1, 2.5}`. (Of one type they are deduced, since a braced number is no list then.)
    tensor(std::initializer_list<any_number> x, place at = place::here()) requires(takes_list<1>) { fill(x, at); }
    tensor(list<list<any_number>> x, place at = place::here()) requires(takes_list<2>) { fill(x, at); }
    tensor(list<list<list<any_number>>> x, place at = place::here()) requires(takes_list<3>) { fill(x, at); }
    tensor(list<list<list<list<any_number>>>> x, place at = place::here()) requires(takes_list<4>) { fill(x, at); }
    /// The elements of a std::vector, array or span: a vector, the static sizes, or the sizes given, in row-major order.
    template <detail::flat_list<T> V> tensor(const V& x, const sizes& s, place at = place::here()) { fill_from(x, s.s, at); }
    template <detail::flat_list<T> V> tensor(const V& x, place at = place::here()) {
        fill_from(x, dims.any_rank() || !dims.known() ? df::shape{static_cast<std::int64_t>(x.size())} : dims, at);
    }
    /// A vector of vectors, of any depth.
    template <detail::nested_list<T> V> tensor(const V& x, place at = place::here()) { fill(x, at); }
    /// A copy of an Eigen matrix, array or expression: [rows, cols], or [n] when the type is a vector.
    template <detail::matrix_like M> requires std::same_as<typename M::Scalar, T> tensor(const M& m, place at = place::here()) {
        if constexpr (detail::matrix_in_memory<M>) rebind(detail::from_strided(dtype_of<T>, m.data(), detail::sizes_of(m), detail::strides_of(m), at), at);
        else *this = tensor(m.eval(), at);
    }
    /// A tensor with other knowledge of the sizes: implicit when it only forgets, else explicit and checked.
    template <std::int64_t... E> requires(!std::same_as<tensor<T, E...>, tensor>) && (agree(shape_of<E...>, dims))
    explicit(!surely(shape_of<E...>, dims)) tensor(const tensor<T, E...>& o, place at = place::here()) : v_(o.value()) { detail::check_fits(v_, dims, at); }
    tensor(const index& i) requires std::same_as<T, std::int64_t> && (dims.rank() <= 0) : v_(i.value()) {}

    const ir::value& value() const { return v_; }
    bool staged() const { return v_.staged(); }
    /// The sizes, outermost first.
    df::shape shape() const { return v_ ? v_.type().own() : df::shape{}; }
    int rank() const { return shape().n; }
    /// The size of an axis; negative axes count from the end.
    extent dim(std::int64_t axis, place at = place::here()) const { return detail::extent_of(v_, axis, at); }
    template <std::int64_t A> auto dim(size_constant<A>) const {
        constexpr int a = normal_axis(A, dims.rank());
        static_assert(dims.any_rank() || a >= 0, "df: dim: the axis is out of range");
        if constexpr (a >= 0 && dims.d[a < 0 ? 0 : a] >= 0) return size_constant<dims.d[a < 0 ? 0 : a]>{};
        else return detail::extent_of(v_, A, {});
    }
    /// The number of elements.
    extent size() const { return detail::count_of(v_); }
    /// The same tensor with sizes the compiler knows; checked.
    template <std::int64_t... E> tensor<T, E...> as(place at = place::here()) const {
        static_assert(agree(dims, shape_of<E...>), "df: as: these sizes cannot hold");
        if constexpr (std::same_as<tensor<T, E...>, tensor>) return *this;
        else return tensor<T, E...>(*this, at);
    }

    /// The number of a tensor with one element.
    T item(place at = place::here()) const {
        ir::array_of(v_, "item", at);
        detail::check_single(v_, "item", at);
        return *static_cast<const T*>(detail::elements_of(v_, "item", at));
    }
    /// The elements in row-major order; valid as long as a handle to this tensor lives.
    const T* data(place at = place::here()) const { return static_cast<const T*>(detail::elements_of(v_, "data", at)); }
    std::vector<T> to_vector(place at = place::here()) const {
        const T* p = data(at);
        return std::vector<T>(p, p + static_cast<std::int64_t>(size()));
    }
    std::span<const T> span(place at = place::here()) const { return {data(at), static_cast<std::size_t>(static_cast<std::int64_t>(size()))}; }
    /// A view of a matrix or vector as an Eigen map, `x.map<Eigen::Map<const row_major_matrix>>()`; no copy.
    template <class M> M map(place at = place::here()) const {
        static_assert(std::same_as<typename M::Scalar, T>, "df: map: the Eigen type has another scalar");
        static_assert(detail::is_one_axis<M> || M::IsRowMajor, "df: map: a df matrix is row-major; give a row-major Eigen type");
        const auto s = detail::map_sizes(v_, M::RowsAtCompileTime, M::ColsAtCompileTime, at);
        const T* p = data(at);
        if constexpr (detail::is_one_axis<M>) return M(p, s.elements());
        else return M(p, s.d[0], s.d[1]);
    }
    /// Plain truth of a concrete scalar; a staged one throws trace_error that names the form to use.
    explicit operator bool() const requires std::same_as<T, bool> { return detail::truth(v_); }

    /// Row `i`: the tensor without its first axis.
    auto operator[](const row_index& i) const {
        static_assert(dims.rank() != 0, "df: operator []: the rank is too small");
        constexpr df::shape s = dims.rank() > 0 ? dims.from(1) : df::shape::any();
        return wrap<T, s>(detail::row(v_, i));
    }
    /// A slice, a mask, rows chosen by an index tensor, or a new axis.
    tensor<T> operator[](const part& s) const { return tensor<T>(detail::select_parts(v_, &s, 1, s.at), raw); }
    /// Several axes at once: `t(df::all, df::none, 2, df::slice(a, b, step))`.
    tensor<T> operator()(const selection& a, const selection& b = {}, const selection& c = {}, const selection& d = {}, const selection& e = {},
                         const selection& f = {}, const selection& g = {}, const selection& h = {}) const {
        const selection parts[] = {a, b, c, d, e, f, g, h};
        return tensor<T>(detail::select_parts(v_, parts, 8, a.at), raw);
    }

    template <class V> void df_visit(V& v) { v.leaf(v_, dtype_of<T>, dims); }   // see trace/tree.hpp
    /// Makes this handle stand for another value of the declared sizes.
    tensor& rebind(ir::value v, place at) {
        detail::check_fits(v, dims, at);
        v_ = std::move(v);
        return *this;
    }

private:
    template <class L> void fill(const L& x, place at) {
        std::vector<detail::listed<T>> flat;
        df::shape s;
        detail::flatten<detail::listed<T>>(x, flat, s, 0, at);
        rebind(detail::from_elements(dtype_of<T>, flat.data(), flat.size(), s, at), at);
    }
    template <class V> void fill_from(const V& x, const df::shape& s, place at) {
        if constexpr (std::same_as<V, std::vector<bool>>) {
            const std::vector<std::uint8_t> bytes(x.begin(), x.end());
            rebind(detail::from_elements(dtype_of<T>, bytes.data(), bytes.size(), s, at), at);
        } else {
            rebind(detail::from_elements(dtype_of<T>, static_cast<const T*>(x.data()), static_cast<std::size_t>(x.size()), s, at), at);
        }
    }

    ir::value v_;
};
template <element T> tensor(T) -> tensor<T>;
template <element T> tensor(std::initializer_list<T>) -> tensor<T>;
template <element T> tensor(std::initializer_list<std::initializer_list<T>>) -> tensor<T>;
template <element T> tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>>) -> tensor<T>;
template <class V> requires element<detail::innermost_t<V>> && (!element<V>) tensor(const V&) -> tensor<detail::innermost_t<V>>;
template <class V> requires element<detail::innermost_t<V>> tensor(const V&, const sizes&) -> tensor<detail::innermost_t<V>>;
template <detail::matrix_like M> tensor(const M&) -> tensor<typename M::Scalar>;
tensor(const index&) -> tensor<std::int64_t, rank0>;

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <atomic>
#include <cstring>
#include <mutex>

namespace df::inline DF_ABI::detail {
DF_FN ir::value from_elements(dtype t, const void* data, std::size_t count, const shape& s, place at) {
    if (core::checked_elements(s, t, "tensor", at) != static_cast<std::int64_t>(count))
        throw shape_error("tensor: " + std::to_string(count) + " elements do not fill " + to_text(s) + "; give as many elements as the sizes multiply to", at);
    core::array a(t, s);
    if (count) std::memcpy(a.raw(), data, a.form.bytes());
    return ir::concrete(std::move(a), at);
}
DF_FN ir::value from_strided(dtype t, const void* data, const shape& s, const shape& strides, place at) {
    core::checked_elements(s, t, "tensor", at);
    core::array a(t, s);
    core::copy_elements(core::layout(t, s, strides), static_cast<const std::byte*>(data), a.form, a.raw());
    return ir::concrete(std::move(a), at);
}
DF_FN void check_fits(const ir::value& v, const shape& declared, place at) {
    if (!v || surely(v.type().own(), declared)) return;
    const auto have = v.type().own();
    if (!agree(have, declared) || !have.known())
        throw shape_error("tensor: a value of type " + ir::to_text(v.type()) + " does not fit the declared sizes " + to_text(declared) +
                          "; declare df::dyn where the size may vary", at);
}
DF_FN const void* elements_of(const ir::value& v, const char* who, place at) {
    const auto& a = ir::array_of(v, who, at.line || !v ? at : v->at);
    if (a.form.contiguous()) return a.raw();
    // A strided view is packed once, beside the view, so that the pointer lives as long as the value.
    static std::mutex m;
    std::lock_guard l(m);
    if (!v->packed) v->packed = core::packed(a);
    return v->packed.raw();
}
DF_FN void check_single(const ir::value& v, const char* who, place at) {
    if (v->data.elements() != 1)
        throw shape_error(std::string(who) + ": " + ir::to_text(v.type()) + " is not one number; index it, reduce it, or use to_vector()", at);
}
DF_FN shape map_sizes(const ir::value& v, std::int64_t rows, std::int64_t columns, place at) {
    const auto s = ir::array_of(v, "map", at).form.dims;
    const bool flat = rows == 1 || columns == 1;
    if (!flat && s.n != 2) throw shape_error("map: a matrix map of " + ir::to_text(v.type()) + "; take one matrix of it, or reshape it to rank 2", at);
    const auto fits = [](std::int64_t want, std::int64_t have) { return want < 0 || want == have; };   // Eigen::Dynamic is -1
    if (flat ? !fits(rows == 1 ? columns : rows, s.elements()) : !fits(rows, s.d[0]) || !fits(columns, s.d[1]))
        throw shape_error("map: " + ir::to_text(v.type()) + " does not fit an Eigen type of " + std::to_string(rows) + " by " + std::to_string(columns) + "; give one of its sizes, or of dynamic ones", at);
    return s;
}
DF_FN bool truth(const ir::value& v) {
    if (v.staged())
        throw trace_error("operator bool: the truth of a staged value is not known while the function is traced; use df::cond or df::where for a branch, "
                          "df::while_loop for a loop", v->at);
    ir::array_of(v, "operator bool", {});
    check_single(v, "operator bool", v->at);
    return *static_cast<const bool*>(elements_of(v, "operator bool", v->at));
}
DF_FN extent extent_of(const ir::value& v, std::int64_t axis, place at) {
    const auto s = v ? v.type().own() : shape{};
    const int a = normal_axis(axis, s.n);
    if (a < 0) throw shape_error("dim: axis " + std::to_string(axis) + " is out of range for shape " + to_text(s) + "; an axis runs from -rank to rank-1", at);
    return extent(s.d[a]);
}
DF_FN extent count_of(const ir::value& v) {
    const auto s = v ? v.type().own() : shape{0};
    std::int64_t n = 1;
    for (auto d : s) {
        if (d < 0) return s.n == 1 ? extent(d) : extent(fresh_symbol());
        n *= d;
    }
    return extent(n);
}
DF_FN void ragged_list(place at) {
    throw shape_error("tensor: the rows of a nested list have different lengths; make them equal, or build the tensor from a vector and a shape", at);
}
}  // namespace df::inline DF_ABI::detail
#endif
