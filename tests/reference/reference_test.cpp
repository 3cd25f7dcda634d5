// Compares df with reference values from NumPy and JAX: the .txt files beside this one, written by make_reference.py, whose
// head describes their form.
#include <support/catch.hpp>
#include <support/data.hpp>

#include "reference.hpp"

#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <tuple>

namespace reference {

namespace {

const std::vector<std::string> families = {"elementwise", "compare", "reduce", "layout", "index",
                                           "contract",    "conv",    "sort",   "compose"};

struct array {
    std::string type;   // f64 f32 i64 i32 u8 bool
    list shape;
    std::vector<std::string> elements;
};
struct tolerance {
    double relative = 0, absolute = 0;
};
struct test_case {
    std::string name, op;
    std::vector<array> in, out, gradients;
    std::vector<std::size_t> wrt;   // the input each gradient belongs to
    array cotangent;
    attributes at;
    bool signed_zeros = false;
    tolerance tol;                  // 0, 0: the default of the element type
};

// ---- reading
array read_array(std::istream& line) {
    array a;
    std::string sizes, colon;
    line >> a.type >> sizes >> colon;
    if (colon != ":") throw std::runtime_error("expected: dtype shape : values");
    if (sizes != "-") {
        std::istringstream each(sizes);
        for (std::string size; std::getline(each, size, ',');) a.shape.push_back(std::stoll(size));
    }
    for (std::string element; line >> element;) a.elements.push_back(element);
    std::int64_t count = 1;
    for (std::int64_t size : a.shape) count *= size;
    if (count != static_cast<std::int64_t>(a.elements.size())) throw std::runtime_error("the values do not fill the shape");
    return a;
}

void read_line(test_case& c, const std::string& keyword, std::istream& line) {
    if (keyword == "op") line >> c.op;
    else if (keyword == "in") c.in.push_back(read_array(line));
    else if (keyword == "out") c.out.push_back(read_array(line));
    else if (keyword == "cot") c.cotangent = read_array(line);
    else if (keyword == "signed") c.signed_zeros = true;
    else if (keyword == "tol") line >> c.tol.relative >> c.tol.absolute;
    else if (keyword == "vjp") {
        std::size_t input = 0;
        line >> input;
        c.wrt.push_back(input);
        c.gradients.push_back(read_array(line));
    } else if (keyword == "attr") {
        std::string name;
        line >> name;
        auto& words = c.at.words[name];
        for (std::string w; line >> w;) words.push_back(w);
    } else throw std::runtime_error("unknown word " + keyword);
}

std::vector<test_case> read_cases(const std::string& family) {
    std::istringstream text(df_test::read_text(df_test::data_path("reference/" + family + ".txt")));
    std::vector<test_case> cases;
    bool open = false;
    for (std::string whole; std::getline(text, whole);) {
        std::istringstream line(whole);
        std::string keyword;
        if (!(line >> keyword) || keyword[0] == '#') continue;
        if (keyword == "case") {
            cases.emplace_back();
            line >> cases.back().name;
            open = true;
        } else if (!open) throw std::runtime_error(family + ".txt: a line outside a case: " + whole);
        else if (keyword == "end") open = false;
        else read_line(cases.back(), keyword, line);
    }
    if (open || cases.empty()) throw std::runtime_error(family + ".txt ends too early");
    return cases;
}

// ---- arrays to tensors and back
template <class T> const char* type_name() {
    if constexpr (std::is_same_v<T, double>) return "f64";
    else if constexpr (std::is_same_v<T, float>) return "f32";
    else if constexpr (std::is_same_v<T, std::int64_t>) return "i64";
    else if constexpr (std::is_same_v<T, std::int32_t>) return "i32";
    else if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
    else return "bool";
}
template <class T> T number(const std::string& text) {
    if constexpr (std::is_same_v<T, double>) return std::strtod(text.c_str(), nullptr);
    else if constexpr (std::is_same_v<T, float>) return std::strtof(text.c_str(), nullptr);
    else if constexpr (std::is_same_v<T, bool>) return text == "1";
    else return static_cast<T>(std::stoll(text));
}
template <class T> df::tensor<T> tensor_of(const array& a) {
    std::vector<T> elements;
    for (const auto& e : a.elements) elements.push_back(number<T>(e));
    return df::tensor<T>(elements, a.shape);
}
value value_of(const array& a) {
    if (a.type == "f64") return tensor_of<double>(a);
    if (a.type == "f32") return tensor_of<float>(a);
    if (a.type == "i64") return tensor_of<std::int64_t>(a);
    if (a.type == "i32") return tensor_of<std::int32_t>(a);
    if (a.type == "u8") return tensor_of<std::uint8_t>(a);
    if (a.type == "bool") return tensor_of<bool>(a);
    throw std::runtime_error("unknown dtype " + a.type);
}
std::string text_of(const std::string& type, const list& shape) {
    std::string text = type + "[";
    for (std::size_t k = 0; k < shape.size(); ++k) text += (k ? ", " : "") + std::to_string(shape[k]);
    return text + "]";
}

// ---- comparing
tolerance usual(const std::string& type) {
    if (type == "f64") return {1e-12, 1e-14};
    if (type == "f32") return {2e-6, 2e-7};
    return {};
}

template <class T> bool same(T got, T want, tolerance tol, bool signed_zeros) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(want)) return std::isnan(got);
        if (got == want) return !signed_zeros || want != 0 || std::signbit(got) == std::signbit(want);
        if (!std::isfinite(got) || !std::isfinite(want)) return false;
        const double gap = std::abs(static_cast<double>(got) - static_cast<double>(want));
        return gap <= tol.absolute + tol.relative * std::abs(static_cast<double>(want));
    } else {
        return got == want;
    }
}

template <class T>
std::string difference_of(const df::tensor<T>& got, const array& want, tolerance tol, bool signed_zeros) {
    list shape;
    for (int k = 0; k < got.rank(); ++k) shape.push_back(static_cast<std::int64_t>(got.dim(k)));
    if (type_name<T>() != want.type || shape != want.shape)
        return "it is " + text_of(type_name<T>(), shape) + ", not " + text_of(want.type, want.shape);
    const std::vector<T> elements = got.to_vector();
    if (elements.size() != want.elements.size())
        return std::to_string(elements.size()) + " elements, not " + std::to_string(want.elements.size());
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const T element = elements[k];
        if (same<T>(element, number<T>(want.elements[k]), tol, signed_zeros)) continue;
        std::ostringstream text;
        text.precision(17);
        text << "element " << k << " is " << +element << ", not " << want.elements[k];
        return text.str();
    }
    return "";
}

// Where a result differs, or the empty string. NaN equals NaN.
std::string difference(const value& got, const array& want, tolerance tol, bool signed_zeros) {
    return std::visit([&](const auto& t) { return difference_of(t, want, tol, signed_zeros); }, got);
}

// ---- running
using num = df::tensor<double>;
using many = std::vector<num>;

// A pullback of one argument may give its gradient, or a tuple of one.
template <class Pulled> const many& only(const Pulled& pulled) {
    if constexpr (std::is_same_v<Pulled, many>) return pulled;
    else return std::get<0>(pulled);
}

const table& all_ops() {
    static const table ops = [] {
        table t;
        add_pointwise(t);
        add_arrays(t);
        add_compositions(t);
        return t;
    }();
    return ops;
}

std::vector<value> inputs(const test_case& c) {
    std::vector<value> in;
    for (const auto& a : c.in) in.push_back(value_of(a));
    return in;
}

tolerance bound(const test_case& c, const array& a) {
    const bool given = c.tol.relative > 0 || c.tol.absolute > 0;
    return given ? c.tol : usual(a.type);
}

void check_values(const test_case& c, const operation& f) {
    const std::vector<value> out = f(call{inputs(c), c.at});
    CHECK(out.size() == c.out.size());
    for (std::size_t k = 0; k < out.size() && k < c.out.size(); ++k) {
        INFO("result " << k);
        CHECK(difference(out[k], c.out[k], bound(c, c.out[k]), c.signed_zeros) == "");
    }
}

double dot(const std::vector<double>& a, const std::vector<double>& b, double& size) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
        sum += a[k] * b[k];
        size += std::abs(a[k] * b[k]);
    }
    return sum;
}

// Forward mode must agree with the gradients: <cotangent, J tangent> = <gradients, tangent>, for one mixed tangent.
template <class F> void check_forward(const test_case& c, const F& f, const many& x, const num& cotangent) {
    many tangents;
    double wanted = 0, size = 0;
    for (const auto& g : c.gradients) {
        const std::vector<double> gradient = tensor_of<double>(g).to_vector();
        std::vector<double> tangent;
        for (std::size_t k = 0; k < gradient.size(); ++k) {
            if (!std::isfinite(gradient[k])) return;
            tangent.push_back(0.5 + 0.25 * static_cast<double>(k % 3) - static_cast<double>(k % 2));
        }
        wanted += dot(gradient, tangent, size);
        tangents.push_back(num(tangent, g.shape));
    }
    const auto [y, slope] = df::jvp(f)(x, tangents);
    INFO("forward mode");
    const std::vector<double> weights = cotangent.to_vector(), slopes = num(slope).to_vector();
    CHECK(weights.size() == slopes.size());
    if (weights.size() != slopes.size()) return;
    const double got = dot(weights, slopes, size);
    CHECK(std::abs(got - wanted) <= 1e-11 * size + 1e-13);
}

void check_gradients(const test_case& c, const operation& run) {
    many x;
    for (std::size_t input : c.wrt) x.push_back(std::get<num>(value_of(c.in.at(input))));
    // The first result as a function of the inputs that have a gradient.
    const auto f = [&](const many& some) -> num {
        call now{inputs(c), c.at};
        for (std::size_t k = 0; k < some.size(); ++k) now.in.at(c.wrt[k]) = some[k];
        return std::get<num>(run(now).at(0));
    };
    const num cotangent = tensor_of<double>(c.cotangent);
    const auto [y, pullback] = df::vjp(f)(x);
    {
        INFO("the value beside the pullback");
        CHECK(difference(num(y), c.out[0], bound(c, c.out[0]), c.signed_zeros) == "");
    }
    const auto pulled = pullback(cotangent);
    const many& gradients = only(pulled);
    CHECK(gradients.size() == c.gradients.size());
    if (gradients.size() != c.gradients.size()) return;
    for (std::size_t k = 0; k < gradients.size(); ++k) {
        INFO("gradient of input " << c.wrt[k]);
        tolerance tol = bound(c, c.gradients[k]);
        tol.relative *= 10;
        tol.absolute *= 10;
        CHECK(difference(gradients[k], c.gradients[k], tol, false) == "");
    }
    check_forward(c, f, x, cotangent);
}

void check_family(const std::string& family) {
    for (const test_case& c : read_cases(family)) {
        INFO(family << ".txt, case " << c.name << ", op " << c.op);
        const auto entry = all_ops().find(c.op);
        if (entry == all_ops().end()) {
            FAIL_CHECK("the table has no entry for this op");
            continue;
        }
        try {
            check_values(c, entry->second);
            if (!c.wrt.empty()) check_gradients(c, entry->second);
        } catch (const std::exception& error) {
            FAIL_CHECK(error.what());
        }
    }
}

} // namespace

TEST_CASE("reference values: elementwise") { check_family("elementwise"); }
TEST_CASE("reference values: compare") { check_family("compare"); }
TEST_CASE("reference values: reduce") { check_family("reduce"); }
TEST_CASE("reference values: layout") { check_family("layout"); }
TEST_CASE("reference values: index") { check_family("index"); }
TEST_CASE("reference values: contract") { check_family("contract"); }
TEST_CASE("reference values: conv") { check_family("conv"); }
TEST_CASE("reference values: sort") { check_family("sort"); }
TEST_CASE("reference values: compose") { check_family("compose"); }

TEST_CASE("every entry of the reference table has a case") {
    std::set<std::string> named;
    for (const auto& family : families)
        for (const auto& c : read_cases(family)) named.insert(c.op);
    for (const auto& [name, run] : all_ops()) {
        INFO(name);
        CHECK(named.count(name) == 1);
    }
}

} // namespace reference
