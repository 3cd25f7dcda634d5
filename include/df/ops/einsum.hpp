// einsum: products and sums of any number of operands by letters. Lowers to sums, diagonals and `contract`.
#pragma once
#include <string>

#include <df/ops/product.hpp>

namespace df::inline DF_ABI {
namespace detail {
/// The subscripts, and the user's line.
struct subscripts {
    std::string text;
    place at;
    template <class S> requires std::constructible_from<std::string, const S&>
    subscripts(const S& s, const char* file = __builtin_FILE(), int line = __builtin_LINE()) : text(s), at{file, line} {}
};
ir::value einsum(const subscripts& s, const ir::value* x, std::size_t count);
}  // namespace detail

/// NumPy's einsum: `einsum("ij,jk->ik", x, y)`. One letter per axis of each operand; letters missing from the result are
/// summed; a letter twice in one operand takes its diagonal; `...` stands for further axes, which broadcast. Without `->`
/// the result has the letters that occur once, in alphabetical order. Operands are multiplied from left to right.
/// Throws shape_error when letters and axes do not fit or the sizes of a letter differ.
template <tensor_like X, tensor_like... Y> auto einsum(const detail::subscripts& s, const X& x, const Y&... y) {
    static_assert((std::same_as<element_t<X>, element_t<Y>> && ...), "df: einsum: the dtypes differ; write df::cast<T>(x)");
    const ir::value operands[] = {x.value(), y.value()...};
    return tensor<element_t<X>>(detail::einsum(s, operands, 1 + sizeof...(Y)), raw);
}

}  // namespace df::inline DF_ABI

#if DF_IMPL
#include <algorithm>

#include <df/ops/cut.hpp>

namespace df::inline DF_ABI::detail {
// An operand of an einsum and the label of each of its axes: a letter, or 256 + k for the k-th axis of `...` from the back.
struct lettered {
    ir::value x;
    ir::ints l;
};
class einsum_call {
public:
    einsum_call(const subscripts& s, const ir::value* x, std::size_t count) : s_(s) {
        for (std::size_t k = 0; k < count; ++k) present(x[k], "einsum", s.at);
        parse(x, count);
        check_sizes();
        for (auto& o : operands_) take_diagonals(o);
    }
    ir::value run() {
        auto all = std::move(operands_[0]);
        for (std::size_t k = 1; k < operands_.size(); ++k) {
            auto next = std::move(operands_[k]);
            const auto needed = [&](std::int64_t label) {
                bool r = ops::contains(out_, label);
                for (std::size_t j = k + 1; j < operands_.size(); ++j) r |= ops::contains(operands_[j].l, label);
                return r;
            };
            sum_others(all, [&](std::int64_t l) { return needed(l) || ops::contains(next.l, l); });
            sum_others(next, [&](std::int64_t l) { return needed(l) || ops::contains(all.l, l); });
            lettered product;
            if (k + 1 == operands_.size()) product.l = out_;
            else for (auto* o : {&all, &next}) for (auto l : o->l) if (needed(l) && !ops::contains(product.l, l)) product.l.push_back(l);
            product.x = ir::contract(all.x, next.x, all.l, next.l, product.l, s_.at);
            all = std::move(product);
        }
        sum_others(all, [&](std::int64_t l) { return ops::contains(out_, l); });
        ir::ints perm;
        for (auto l : out_) perm.push_back(std::find(all.l.begin(), all.l.end(), l) - all.l.begin());
        return ir::permute(all.x, perm, s_.at);
    }

private:
    [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
        std::string m = "einsum: " + what + ": \"" + s_.text + "\"";
        for (auto& o : operands_) m += ", " + ir::to_text(o.x.type());
        throw shape_error(m + "; " + remedy, s_.at);
    }
    // Labels of one term; `dots` axes stand for `...`.
    ir::ints letters(const std::string& term, int dots) const {
        ir::ints r;
        for (std::size_t i = 0; i < term.size(); ++i) {
            const char c = term[i];
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) r.push_back(c);
            else if (term.compare(i, 3, "...") == 0 && term.find('.', i + 3) == std::string::npos) {
                for (int k = dots; k-- > 0;) r.push_back(256 + k);
                i += 2;
            } else fail(std::string("unexpected '") + c + "' in the subscripts", "write letters, one \"...\", commas between operands and \"->\" before the result");
        }
        return r;
    }
    void parse(const ir::value* x, std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) operands_.push_back({x[k], {}});
        std::string text;
        for (char c : s_.text) if (c != ' ') text += c;
        const auto arrow = text.find("->");
        const std::string left = text.substr(0, arrow);
        std::vector<std::string> terms(1);
        for (char c : left) {
            if (c == ',') terms.emplace_back();
            else terms.back() += c;
        }
        if (terms.size() != count) fail(std::to_string(terms.size()) + " terms for " + std::to_string(count) + " operands", "write one term per operand, separated by commas");
        int most = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const bool dotted = terms[k].find('.') != std::string::npos;
            const int rank = x[k].rank(), named = static_cast<int>(letters(terms[k], 0).size());
            if (dotted ? named > rank : named != rank) fail("term \"" + terms[k] + "\" does not fit an operand of " + std::to_string(rank) + " axes", "write one letter per axis");
            operands_[k].l = letters(terms[k], dotted ? rank - named : 0);
            if (dotted) most = std::max(most, rank - named);
        }
        if (arrow != std::string::npos) {
            out_ = letters(text.substr(arrow + 2), most);
        } else {
            for (int k = most; k-- > 0;) out_.push_back(256 + k);
            for (std::int64_t c = 'A'; c <= 'z'; ++c) {
                std::ptrdiff_t times = 0;
                for (auto& o : operands_) times += std::count(o.l.begin(), o.l.end(), c);
                if (times == 1) out_.push_back(c);
            }
        }
        for (std::size_t i = 0; i < out_.size(); ++i) {
            bool found = false;
            for (auto& o : operands_) found |= ops::contains(o.l, out_[i]);
            if (!found) fail(std::string("no operand has the result's letter '") + static_cast<char>(out_[i]) + "'", "name only letters of the operands");
            if (std::count(out_.begin(), out_.end(), out_[i]) > 1) fail(std::string("the result names '") + static_cast<char>(out_[i]) + "' twice", "name each letter once");
        }
    }
    // One size per letter. An axis of size 1 under `...` that stretches is dropped.
    void check_sizes() {
        std::vector<lettered> checked;
        for (auto& o : operands_) {
            shape kept;
            ir::ints l;
            const auto own = o.x.type().own();
            for (std::size_t i = 0; i < o.l.size(); ++i) {
                bool stretches = false;
                for (auto& p : operands_)
                    for (std::size_t j = 0; j < p.l.size(); ++j) {
                        if (p.l[j] != o.l[i]) continue;
                        const auto a = own.d[i], b = p.x.type().own().d[j];
                        if (o.l[i] >= 256 && (a == 1 || b == 1)) stretches |= a == 1 && b != 1;
                        else if (!clash(a, b)) continue;
                        else if (o.l[i] >= 256) fail("the sizes under \"...\" do not broadcast", ir::advice(complaint::broadcast));
                        else fail(std::string("letter '") + static_cast<char>(o.l[i]) + "' has sizes " + std::to_string(a) + " and " + std::to_string(b), "the axes of a letter must have one size");
                    }
                if (stretches) continue;
                kept.push_back(own.d[i]);
                l.push_back(o.l[i]);
            }
            checked.push_back({ir::reshape(o.x, kept, s_.at), l});
        }
        operands_ = std::move(checked);
    }
    void take_diagonals(lettered& o) {
        for (std::size_t j = 1; j < o.l.size(); ++j)
            for (std::size_t i = 0; i < j; ++i)
                if (o.l[i] == o.l[j]) {
                    const auto label = o.l[i];
                    o.x = diagonal(o.x, 0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), s_.at);
                    o.l.erase(o.l.begin() + static_cast<std::ptrdiff_t>(j));
                    o.l.erase(o.l.begin() + static_cast<std::ptrdiff_t>(i));
                    o.l.push_back(label);
                    return take_diagonals(o);
                }
    }
    template <class P> void sum_others(lettered& o, P keep) {
        ir::ints axes, l;
        for (std::size_t i = 0; i < o.l.size(); ++i) {
            if (keep(o.l[i])) l.push_back(o.l[i]);
            else axes.push_back(static_cast<std::int64_t>(i));
        }
        if (axes.empty()) return;
        o.x = ir::convert(ir::reduce(op::sum, o.x, axes, s_.at), o.x.element(), s_.at);
        o.l = l;
    }

    const subscripts& s_;
    std::vector<lettered> operands_;
    ir::ints out_;
};
DF_FN ir::value einsum(const subscripts& s, const ir::value* x, std::size_t count) { return einsum_call(s, x, count).run(); }
}  // namespace df::inline DF_ABI::detail
#endif
