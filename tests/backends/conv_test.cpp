// The convolution of the Eigen backend against the record's own kernel, on random forms, strides and lanes.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <df/backends/eigen/conv.hpp>
#include <df/ir/constant.hpp>

#include <support/catch.hpp>

namespace {

using df::shape;
using ints = df::ir::ints;

/// A random convolution with its operands: labels 0 images, 1 channels in, 2 channels out, 3 groups; up to two lane axes.
struct conv_case {
    std::mt19937 random;
    int lanes = 0;
    shape x, k, y;                       // sizes, lanes first
    bool x_varies[2] = {}, k_varies[2] = {};
    df::ir::attrs at;

    std::int64_t pick(std::int64_t low, std::int64_t high) { return std::uniform_int_distribution<std::int64_t>(low, high)(random); }
    explicit conv_case(unsigned seed) : random(seed) {
        lanes = static_cast<int>(pick(0, 2));
        for (int i = 0; i < lanes; ++i) {
            const auto n = pick(1, 3);
            x_varies[i] = pick(0, 1), k_varies[i] = pick(0, 1);
            x.push_back(n), k.push_back(n), y.push_back(n);
        }
        const std::int64_t images = pick(0, 9) ? pick(1, 3) : 0, in = pick(0, 9) ? pick(1, 3) : 0, out = pick(1, 5), groups = pick(1, 3);
        ints a{0, 3, 1}, b{3, 2, 1}, o{0, 3, 2};
        std::shuffle(a.begin(), a.end(), random), std::shuffle(b.begin(), b.end(), random), std::shuffle(o.begin(), o.end(), random);
        const std::int64_t size[] = {images, in, out, groups};
        const auto add = [&](shape& s, const ints& labels) { for (auto l : labels) s.push_back(size[l]); };
        add(x, a), add(k, b), add(y, o);
        ints stride, dilation, base, low, high;
        for (auto rank = pick(1, 3); rank > 0; --rank) {
            stride.push_back(pick(1, 3)), dilation.push_back(pick(1, 3)), base.push_back(pick(1, 3));
            const auto n = pick(1, rank > 1 ? 5 : 9), w = pick(1, 4), reach = (w - 1) * dilation.back() + 1;
            low.push_back(pick(-2, 3));
            high.push_back(pick(-2, 3));
            while ((n - 1) * base.back() + 1 + low.back() + high.back() < reach) ++high.back();
            x.push_back(n), k.push_back(w);
            y.push_back(df::window_count((n - 1) * base.back() + 1 + low.back() + high.back(), reach, stride.back()));
        }
        at = {{"a", a}, {"b", b}, {"out", o}, {"stride", stride}, {"dilation", dilation}, {"base", base}, {"low", low}, {"high", high}};
    }
    /// A layout with axes in random order, some reversed; stride 0 along lanes that do not vary. `bytes` gets the elements.
    df::core::layout place(df::dtype t, const shape& s, const bool* varies, std::int64_t& offset, std::int64_t& elements) {
        df::core::layout l(t, s);
        std::vector<int> order(s.size());
        std::iota(order.begin(), order.end(), 0);
        if (pick(0, 1)) std::shuffle(order.begin(), order.end(), random);
        std::int64_t step = 1;
        offset = 0;
        for (auto i = order.rbegin(); i != order.rend(); ++i) {
            const auto axis = static_cast<std::size_t>(*i);
            const bool still = varies && *i < lanes && !varies[*i];
            l.strides.d[axis] = still ? 0 : step;
            if (still) continue;
            if (varies && pick(0, 4) == 0 && s.d[axis] > 0) offset += (s.d[axis] - 1) * step, l.strides.d[axis] = -step;
            step *= s.d[axis];
        }
        elements = step;
        return l;
    }
};

template <class T> std::string differ(unsigned seed) {
    conv_case c(seed);
    const auto t = df::dtype_of<T>;
    std::int64_t at[3], n[3];
    const df::core::layout in[] = {c.place(t, c.x, c.x_varies, at[0], n[0]), c.place(t, c.k, c.k_varies, at[1], n[1])};
    const df::core::layout out[] = {c.place(t, c.y, nullptr, at[2], n[2])};
    const df::ir::site s{df::op::conv, c.at, in, out, c.lanes, {}};
    std::vector<T> x(static_cast<std::size_t>(n[0])), k(static_cast<std::size_t>(n[1])), got(static_cast<std::size_t>(n[2]), T(7)), want = got;
    for (auto* v : {&x, &k}) for (auto& e : *v) e = static_cast<T>(c.pick(-8, 8)) / 8;
    const auto run = [&](const df::ir::kernel& f, std::vector<T>& y) {
        void* io[] = {x.data() + at[0], k.data() + at[1], y.data()};
        const df::core::storage ws(f.workspace);
        f.run(io, ws.data());
    };
    run(*df::op::conv.kernel(s), want);
    run(*df::backends::conv_kernel(s), got);
    for (std::size_t i = 0; i < got.size(); ++i)
        if (!(std::abs(got[i] - want[i]) <= T(1e-5))) return "element " + std::to_string(i) + " of case " + std::to_string(seed) + ": " + df::ir::to_text(c.at);
    return "";
}

}  // namespace

TEST_CASE("the convolution by patches and products gives what the record's kernel gives") {
    for (unsigned seed = 0; seed < 2000; ++seed) {
        const auto wrong = seed % 2 ? differ<float>(seed) : differ<double>(seed);
        REQUIRE(wrong == "");
    }
}
