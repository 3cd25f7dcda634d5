// The parts of law.hpp.
#include <laws/law.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

#include <df/backends/reference.hpp>
#include <df/df.hpp>
#include <df/ir/verify.hpp>
#include <df/ops/control.hpp>
#include <df/ops/list.hpp>
#include <df/passes/differentiate.hpp>
#include <df/passes/inline.hpp>
#include <df/passes/pipeline.hpp>

namespace df_test {
using namespace df;

namespace {
const char* kept(const std::string& key) {   // attribute names live as long as the program
    static std::set<std::string> all;
    return all.insert(key).first->c_str();
}
std::vector<std::int64_t> numbers_in(const std::string& list) {
    std::vector<std::int64_t> r;
    std::istringstream in(list);
    for (std::string x; std::getline(in, x, ',');) r.push_back(std::stoll(x));
    return r;
}
ir::attr attribute(const std::string& word) {
    const auto at = word.find('=');
    const std::string key = word.substr(0, at), text = word.substr(at + 1);
    if (text.find('.') != std::string::npos) return {kept(key), std::stod(text)};
    const auto list = numbers_in(text);
    if (key == "sizes" || key == "size" || key == "count") return {kept(key), shape(list)};
    return {kept(key), list};
}
dtype element_of(char kind) { return kind == 'b' ? dtype::boolean : kind == 'i' || kind == 'k' || kind == 'n' ? dtype::int64 : dtype::float64; }
}  // namespace

std::vector<sample> samples_of(const ir::op_def& op) {
    std::vector<sample> r;
    std::istringstream cases(op.samples);
    for (std::string text; std::getline(cases, text, ';');) {
        sample s{&op, text.substr(text.find_first_not_of(' ') == std::string::npos ? 0 : text.find_first_not_of(' ')), {}, {}, {}};
        std::vector<ir::attr> at;
        std::istringstream words(text);
        for (std::string w; words >> w;) {
            const auto open = w.find('(');
            if (open == std::string::npos) {
                if (w.find('=') == std::string::npos) throw std::runtime_error(s.name() + ": not an operand or attribute: " + w);
                at.push_back(attribute(w));
                continue;
            }
            s.kinds.push_back(w.substr(0, open));
            s.types.emplace_back(element_of(w[0]), shape(numbers_in(w.substr(open + 1, w.find(')') - open - 1))));
        }
        if (!at.empty()) s.at = ir::attrs(std::move(at));
        r.push_back(std::move(s));
    }
    return r;
}
const std::vector<sample>& all_samples() {
    static const auto all = [] {
        std::vector<sample> r;
        for (auto* op : op::all_records) for (auto& s : samples_of(*op)) r.push_back(std::move(s));
        return r;
    }();
    return all;
}
sample sample::in(dtype to) const {
    auto r = *this;
    for (auto& t : r.types) if (is_floating(t.element)) t.element = to;
    return r;
}
ir::ints sample::floating() const {
    ir::ints r;
    for (std::size_t k = 0; k < types.size(); ++k) if (is_floating(types[k].element)) r.push_back(static_cast<std::int64_t>(k));
    return r;
}

core::array draw(const std::string& kind, const ir::type& t, std::mt19937& random) {
    core::array a(t.element, t.dims);
    const auto n = static_cast<std::size_t>(a.elements());
    const auto between = [&](std::int64_t lo, std::int64_t hi) { return std::uniform_int_distribution<std::int64_t>(lo, hi)(random); };
    std::vector<double> x(n);
    switch (kind[0]) {
        case 'b': for (auto& v : x) v = static_cast<double>(between(0, 1)); break;
        case 'i': for (auto& v : x) v = static_cast<double>(between(-9, 9)); break;
        case 'k': for (auto& v : x) v = static_cast<double>(between(1, 4)); break;
        case 'n': {
            const auto size = std::stoll(kind.substr(1));
            for (auto& v : x) v = static_cast<double>(between(-size, size - 1));
            break;
        }
        default: {   // the middles of n equal parts of the range, shuffled and moved a little
            const double lo = kind == "p" ? 0.3 : kind == "u" ? -0.9 : -2, hi = kind == "p" ? 2.5 : kind == "u" ? 0.9 : 2;
            std::vector<std::size_t> order(n);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::shuffle(order.begin(), order.end(), random);
            const double width = (hi - lo) / static_cast<double>(n ? n : 1), shift = std::uniform_real_distribution(0.2, 0.8)(random);
            for (std::size_t i = 0; i < n; ++i) {
                x[i] = lo + width * (static_cast<double>(order[i]) + shift);
                if (std::abs(2 * x[i] - std::round(2 * x[i])) < 0.01) x[i] += std::min(0.01, width / 4);
            }
        }
    }
    with_type(t.element, [&](auto z) {
        using T = decltype(z);
        for (std::size_t i = 0; i < n; ++i) a.data<T>()[i] = static_cast<T>(x[i]);
    });
    return a;
}
arrays draw_all(const sample& s, unsigned seed, const std::vector<shape>& front) {
    std::mt19937 random(seed);
    arrays r;
    for (std::size_t k = 0; k < s.types.size(); ++k) {
        auto t = s.types[k];
        if (!front.empty()) t.dims = front[k] + t.dims;
        r.push_back(draw(s.kinds[k], t, random));
    }
    return r;
}

ir::graph_ptr graph_of(const std::vector<ir::type>& inputs, ir::body_ref body) {
    const auto t = ir::trace(inputs, place::here(), body);
    if (t.captured.empty()) return t.g;
    ir::builder closed(ir::builder::kind::rewrite);   // what ran while tracing becomes constants
    ir::values in;
    for (auto& i : inputs) in.push_back(closed.input(i, place::here()));
    in.insert(in.end(), t.captured.begin(), t.captured.end());
    for (auto& v : ir::inline_graph(*t.g, in)) closed.output(v, "a law", place::here());
    return closed.finish();
}
ir::values parallel(std::int64_t n, ir::body_ref body) {
    const ir::type number(dtype::int64, {});
    const auto t = ir::trace({&number, 1}, place::here(), [&](const ir::values& i) { return body(i); });
    ir::loop_form f;
    f.body = t.g;
    f.parallel = true;
    f.count = n;
    f.place_axes.assign(t.g->outputs.size(), 0);
    std::vector<ir::type> types;
    for (auto& v : t.captured) types.push_back(v.type());
    const auto at = f.to_attrs();
    return ir::current_builder()->record(op::loop, t.captured, at, ir::infer(op::loop, types, at, place::here()), place::here());
}
ir::values derivative(const ir::op_def& mode, const ir::graph_ptr& g, const ir::values& operands, const ir::ints& wrt) {
    return ir::emit(mode, operands, {{"body", std::vector<ir::graph_ptr>{g}}, {"wrt", wrt}}, place::here());
}

ir::graph_ptr executable(const ir::graph_ptr& g) {
    return pass::expand(pass::inline_custom(pass::differentiate(pass::inline_calls(g))));
}
ir::graph_ptr lowered(const ir::graph_ptr& g) { return pass::run(pass::pipeline(), g, {.verify = true}); }
arrays interpreted(const ir::graph_ptr& g, const arrays& in) { return backends::reference().load(g)->run(in); }
arrays planned(const ir::graph_ptr& g, const arrays& in) { return backends::eigen().load(g)->run(in); }

std::vector<double> doubles(const core::array& a) {
    const auto p = core::packed(a);
    std::vector<double> r;
    with_type(p.form.element, [&](auto z) {
        for (std::int64_t i = 0; i < p.elements(); ++i) r.push_back(static_cast<double>(p.template data<decltype(z)>()[i]));
    });
    return r;
}
std::string differ(const core::array& got, const core::array& wanted, double relative) {
    if (got.form.element != wanted.form.element || got.form.dims != wanted.form.dims)
        return "type " + ir::to_text(ir::type(got.form.element, got.form.dims)) + ", not " + ir::to_text(ir::type(wanted.form.element, wanted.form.dims));
    const auto a = doubles(got), b = doubles(wanted);
    if (!is_floating(got.form.element)) relative = 0;
    else if (got.form.element == dtype::float32) relative = std::max(relative, 1e-5);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        if (std::abs(a[i] - b[i]) <= relative * (1 + std::abs(b[i]))) continue;
        std::ostringstream text;
        text.precision(12);
        text << "element " << i << " is " << a[i] << ", not " << b[i];
        return text.str();
    }
    return "";
}
std::string differ(const arrays& got, const arrays& wanted, double relative) {
    if (got.size() != wanted.size()) return std::to_string(got.size()) + " results, not " + std::to_string(wanted.size());
    for (std::size_t k = 0; k < got.size(); ++k)
        if (const auto d = differ(got[k], wanted[k], relative); !d.empty()) return "result " + std::to_string(k) + ": " + d;
    return "";
}
double dot(const core::array& a, const core::array& b) {
    const auto x = doubles(a), y = doubles(b);
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

void law::check(const sample& s, const std::string& what, const std::string& difference) {
    if (!difference.empty()) lines_.push_back(s.name() + (what.empty() ? "" : ", " + what) + ": " + difference);
}
std::string law::broken() const {
    std::string r;
    for (std::size_t i = 0; i < lines_.size() && i < 40; ++i) r += lines_[i] + "\n";
    if (lines_.size() > 40) r += "and " + std::to_string(lines_.size() - 40) + " more\n";
    return r;
}

}  // namespace df_test
