// Attributes of a node: a short list of named values with equality, hash and text.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <df/core/array.hpp>

namespace df::inline DF_ABI::ir {

struct graph;
using graph_ptr = std::shared_ptr<const graph>;
using ints = std::vector<std::int64_t>;

/// One named attribute. What it means is the record's business; a `sizes` attribute may hold symbols.
struct attr {
    enum class kind : char { whole, sizes, real, data, graphs, rule };
    const char* key = "";
    kind what = kind::whole;
    ints numbers;                      // whole, sizes
    double real = 0;                   // real
    core::array data;                  // data: immutable, compared by value
    std::vector<graph_ptr> graphs;     // graphs: shared, compared by structure
    std::shared_ptr<const void> rule;  // rule: compared by identity

    attr(const char* k, std::int64_t v) : key(k), numbers{v} {}
    attr(const char* k, int v) : key(k), numbers{v} {}
    attr(const char* k, bool v) : key(k), numbers{v} {}
    attr(const char* k, dtype v) : key(k), numbers{static_cast<std::int64_t>(v)} {}
    attr(const char* k, ints v) : key(k), numbers(std::move(v)) {}
    attr(const char* k, const shape& v) : key(k), what(kind::sizes), numbers(v.begin(), v.end()) {}
    attr(const char* k, double v) : key(k), what(kind::real), real(v) {}
    attr(const char* k, core::array v) : key(k), what(kind::data), data(std::move(v)) {}
    attr(const char* k, std::vector<graph_ptr> v) : key(k), what(kind::graphs), graphs(std::move(v)) {}
    attr(const char* k, std::shared_ptr<const void> v) : key(k), what(kind::rule), rule(std::move(v)) {}
    friend bool operator==(const attr& a, const attr& b);
};

/// The attributes of one node: shared and immutable, so that copying a node is cheap.
class attrs {
public:
    attrs() = default;
    attrs(std::initializer_list<attr> list);
    explicit attrs(std::vector<attr> list);

    const attr* find(const char* key) const;
    bool has(const char* key) const { return find(key); }
    /// A whole number, or `otherwise` when there is no such attribute.
    std::int64_t integer(const char* key, std::int64_t otherwise = 0) const;
    bool flag(const char* key) const { return integer(key) != 0; }
    dtype element(const char* key) const { return static_cast<dtype>(integer(key)); }
    double real(const char* key, double otherwise = 0) const;
    const ints& list(const char* key) const;
    shape sizes(const char* key) const { return shape(list(key)); }
    const core::array& data(const char* key) const;
    const graph_ptr& graph(const char* key, std::size_t k = 0) const;
    const std::vector<graph_ptr>& graphs(const char* key) const;

    bool empty() const { return !list_; }
    const std::vector<attr>& all() const;
    /// These attributes with one replaced or added.
    attrs with(attr a) const;

    friend bool operator==(const attrs& a, const attrs& b);
    std::size_t hash() const;

private:
    std::shared_ptr<const std::vector<attr>> list_;
};

/// "axes=[0, 1] keepdims=1"; graphs and data are abbreviated.
std::string to_text(const attrs& a);
/// Elements of a small array, "[1, 2, 3]"; long ones are cut.
std::string elements_text(const core::array& a, std::int64_t most = 8);

inline std::size_t mix(std::size_t h, std::size_t x) { return (h ^ x) * 0x9E3779B97F4A7C15ull + (h >> 29); }

}  // namespace df::inline DF_ABI::ir

#if DF_IMPL
#include <cstdio>
#include <cstring>

#include <df/core/error.hpp>

namespace df::inline DF_ABI::ir {

bool equal(const graph& a, const graph& b);   // ir/graph.hpp
std::size_t hash(const graph& g);

DF_FN bool operator==(const attr& a, const attr& b) {
    if (std::strcmp(a.key, b.key) != 0 || a.what != b.what) return false;
    switch (a.what) {
        case attr::kind::real: return std::memcmp(&a.real, &b.real, sizeof a.real) == 0;
        case attr::kind::data:
            if (a.data.form == b.data.form && a.data.bytes == b.data.bytes && a.data.offset == b.data.offset) return true;
            if (a.data.form != b.data.form || !a.data.form.contiguous()) return false;
            return std::memcmp(a.data.raw(), b.data.raw(), a.data.form.bytes()) == 0;
        case attr::kind::graphs:
            if (a.graphs.size() != b.graphs.size()) return false;
            for (std::size_t i = 0; i < a.graphs.size(); ++i)
                if (a.graphs[i] != b.graphs[i] && !equal(*a.graphs[i], *b.graphs[i])) return false;
            return true;
        case attr::kind::rule: return a.rule == b.rule;
        default: return a.numbers == b.numbers;
    }
}

DF_FN attrs::attrs(std::initializer_list<attr> list) : list_(std::make_shared<const std::vector<attr>>(list)) {}
DF_FN attrs::attrs(std::vector<attr> list) : list_(std::make_shared<const std::vector<attr>>(std::move(list))) {}
DF_FN const std::vector<attr>& attrs::all() const {
    static const std::vector<attr> none;
    return list_ ? *list_ : none;
}
DF_FN const attr* attrs::find(const char* key) const {
    for (auto& a : all()) if (std::strcmp(a.key, key) == 0) return &a;
    return nullptr;
}
DF_FN std::int64_t attrs::integer(const char* key, std::int64_t otherwise) const {
    auto* a = find(key);
    return a ? a->numbers.at(0) : otherwise;
}
DF_FN double attrs::real(const char* key, double otherwise) const {
    auto* a = find(key);
    return a ? a->real : otherwise;
}
namespace detail {
inline const attr& need(const attrs& all, const char* key) {
    if (auto* a = all.find(key)) return *a;
    throw internal_error(std::string("attribute ") + key + " is missing", {});
}
}  // namespace detail
DF_FN const ints& attrs::list(const char* key) const { return detail::need(*this, key).numbers; }
DF_FN const core::array& attrs::data(const char* key) const { return detail::need(*this, key).data; }
DF_FN const std::vector<graph_ptr>& attrs::graphs(const char* key) const { return detail::need(*this, key).graphs; }
DF_FN const graph_ptr& attrs::graph(const char* key, std::size_t k) const { return graphs(key).at(k); }
DF_FN attrs attrs::with(attr a) const {
    auto copy = all();
    for (auto& x : copy)
        if (std::strcmp(x.key, a.key) == 0) {
            x = std::move(a);
            return attrs(std::move(copy));
        }
    copy.push_back(std::move(a));
    return attrs(std::move(copy));
}
DF_FN bool operator==(const attrs& a, const attrs& b) { return a.list_ == b.list_ || a.all() == b.all(); }
DF_FN std::size_t attrs::hash() const {
    std::size_t h = 1;
    for (auto& a : all()) {
        for (auto* c = a.key; *c; ++c) h = mix(h, static_cast<unsigned char>(*c));
        for (auto i : a.numbers) h = mix(h, static_cast<std::size_t>(i));
        if (a.what == attr::kind::real) h = mix(h, std::hash<double>{}(a.real));
        if (a.what == attr::kind::graphs) for (auto& g : a.graphs) h = mix(h, ir::hash(*g));
        if (a.what == attr::kind::data && a.data.form.contiguous() && a.data.elements() <= 64)
            for (std::size_t i = 0; i < a.data.form.bytes(); ++i) h = mix(h, static_cast<std::size_t>(a.data.raw()[i]));
    }
    return h;
}

DF_FN std::string elements_text(const core::array& a, std::int64_t most) {
    const auto p = core::packed(a);
    std::string r;
    const auto n = p.elements();
    with_type(p.form.element, [&](auto z) {
        using T = decltype(z);
        for (std::int64_t i = 0; i < n && i < most; ++i) {
            char text[40];
            if constexpr (std::is_floating_point_v<T>) std::snprintf(text, sizeof text, "%g", static_cast<double>(p.template data<T>()[i]));
            else std::snprintf(text, sizeof text, "%lld", static_cast<long long>(p.template data<T>()[i]));
            r += (i ? ", " : "") + std::string(text);
        }
    });
    if (n > most) r += ", …";
    return p.form.rank() == 0 ? r : "[" + r + "]";
}
DF_FN std::string to_text(const attrs& all) {
    std::string r;
    for (auto& a : all.all()) {
        if (!r.empty()) r += ' ';
        r += std::string(a.key) + "=";
        switch (a.what) {
            case attr::kind::real: {
                char text[40];
                std::snprintf(text, sizeof text, "%g", a.real);
                r += text;
                break;
            }
            case attr::kind::sizes: r += df::to_text(shape(a.numbers)); break;
            case attr::kind::data: r += elements_text(a.data); break;
            case attr::kind::graphs: r += "{…}"; break;
            case attr::kind::rule: r += "rule"; break;
            default:
                if (a.numbers.size() == 1) r += std::to_string(a.numbers[0]);
                else {
                    r += '[';
                    for (std::size_t i = 0; i < a.numbers.size(); ++i) r += (i ? ", " : "") + std::to_string(a.numbers[i]);
                    r += ']';
                }
        }
    }
    return r;
}
}  // namespace df::inline DF_ABI::ir
#endif
