// Cases of reference values: what a case file holds, and the table of the ops it may name.
#pragma once

#include <df/df.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace reference {

using list = std::vector<std::int64_t>;
using value = std::variant<df::tensor<double>, df::tensor<float>, df::tensor<std::int64_t>, df::tensor<std::int32_t>,
                           df::tensor<std::uint8_t>, df::tensor<bool>>;

// The `attr` lines of a case: words by name.
struct attributes {
    std::map<std::string, std::vector<std::string>> words;

    bool has(const std::string& name) const { return words.count(name) != 0; }
    const std::string& word(const std::string& name) const { return words.at(name).at(0); }
    std::int64_t integer(const std::string& name) const { return std::stoll(word(name)); }
    double real(const std::string& name) const { return std::stod(word(name)); }
    list integers(const std::string& name) const {
        list result;
        for (const auto& w : words.at(name)) result.push_back(std::stoll(w));
        return result;
    }
};

// What an op is called with.
struct call {
    std::vector<value> in;
    const attributes& at;

    template <class T> const df::tensor<T>& get(std::size_t k) const { return std::get<df::tensor<T>>(in.at(k)); }
};

using operation = std::function<std::vector<value>(const call&)>;
using table = std::map<std::string, operation>;

// Arithmetic, mathematics, comparison, reductions.
void add_pointwise(table& t);
// Layout, sources, indexing, products, convolution, sorting.
void add_arrays(table& t);
// Named compositions and small programs.
void add_compositions(table& t);

// ---- writing entries
template <class T, std::int64_t... D> std::vector<value> results(const df::tensor<T, D...>& x) {
    return {value(df::tensor<T>(x))};
}
inline std::vector<value> results(std::vector<value> all) { return all; }

template <class T> T element_of(const df::tensor<T>&);
template <class X> using element_type = decltype(element_of(std::declval<const X&>()));

template <class... T> struct types {};
using reals = types<double, float>;
using integers = types<std::int64_t, std::int32_t>;
using numeric = types<double, float, std::int64_t, std::int32_t>;

// Enters f(first input, call) for first inputs of these element types.
template <class... T, class F> void on(table& t, const std::string& name, types<T...>, F f) {
    t[name] = [f](const call& c) {
        std::vector<value> out;
        const auto tried = [&]<class E>(const df::tensor<E>*) {
            if (!std::holds_alternative<df::tensor<E>>(c.in.at(0))) return false;
            out = results(f(c.get<E>(0), c));
            return true;
        };
        if (!(tried(static_cast<const df::tensor<T>*>(nullptr)) || ...))
            throw std::runtime_error("the table has no entry for this element type");
        return out;
    };
}
template <class Kinds, class F> void unary(table& t, const std::string& name, Kinds kinds, F f) {
    on(t, name, kinds, [f](const auto& x, const call&) { return f(x); });
}
template <class Kinds, class F> void binary(table& t, const std::string& name, Kinds kinds, F f) {
    on(t, name, kinds, [f](const auto& x, const call& c) { return f(x, c.get<element_type<decltype(x)>>(1)); });
}

} // namespace reference
