// Are per-example gradients in one call as fast as the best that is written by hand?
//
// MLP, LSTM and CNN: df vectorized, df one by one, Eigen batched by hand, nested loops; and the LSTM's jacobian. Every
// result is compared before any is timed; ratios come last. `--dump=DIR` writes inputs and df's results as .npy for
// bench/peers. The rivals by hand run on one thread into arrays they keep; df's results are new arrays on every call.
#include "baselines/cnn.hpp"
#include "baselines/lstm.hpp"
#include "baselines/mlp.hpp"
#include "models.hpp"
#include "timing.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using baseline::arrays;
using baseline::batch;
using tensors = std::vector<df::tensor<float>>;

// ---- df: the programs ---------------------------------------------------------------------------

template <class Params, class Loss> auto vectorized(Loss loss) {
    return df::function([loss](const Params& p, df::tensor<float> xs, df::tensor<std::int64_t> ys) {
        return df::pfor(xs.dim(0), [&](df::index i) { return df::grad(loss)(p, xs[i], ys[i]); });
    });
}

template <class Params, class Loss> auto one_example(Loss loss) {
    return df::function(
        [loss](const Params& p, df::tensor<float> x, df::tensor<std::int64_t> y) { return df::grad(loss)(p, x, y); });
}

auto lstm_jacobian(std::int64_t outputs) {
    return df::function([outputs](const bench::lstm& p, df::tensor<float> x) {
        return df::jacobian([&](df::tensor<float> s) { return bench::lstm_last(p, s)[df::slice(0, outputs)]; })(x);
    });
}

// One row of the jacobian; chosen is 1 for one output and 0 elsewhere.
auto lstm_jacobian_row() {
    return df::function([](const bench::lstm& p, df::tensor<float> x, df::tensor<float> chosen) {
        return df::grad([&](df::tensor<float> s) { return df::sum(bench::lstm_last(p, s) * chosen); })(x);
    });
}

// ---- df: to and from its tensors ----------------------------------------------------------------

df::tensor<float> to_tensor(const baseline::array& a) {
    const auto& s = a.shape;
    df::tensor<float> flat(a.values);
    switch (s.size()) {
    case 1:
        return flat;
    case 2:
        return df::reshape(flat, {s[0], s[1]});
    case 3:
        return df::reshape(flat, {s[0], s[1], s[2]});
    default:
        return df::reshape(flat, {s[0], s[1], s[2], s[3]});
    }
}

template <class Params> Params to_params(const arrays& a) {
    auto t = [&](std::size_t k) { return to_tensor(a[k]); };
    if constexpr (std::is_same_v<Params, bench::mlp>) return {t(0), t(1), t(2), t(3)};
    else if constexpr (std::is_same_v<Params, bench::lstm>) return {t(0), t(1), t(2), t(3), t(4)};
    else return {t(0), t(1), t(2), t(3), t(4), t(5), t(6), t(7)};
}

tensors leaves(const bench::mlp& p) { return {p.w1, p.b1, p.w2, p.b2}; }
tensors leaves(const bench::lstm& p) { return {p.wx, p.wh, p.b, p.head, p.bias}; }
tensors leaves(const bench::cnn& p) { return {p.k1, p.b1, p.k2, p.b2, p.w3, p.b3, p.w4, p.b4}; }

template <class Params> struct df_inputs {
    explicit df_inputs(const batch& in) : params(to_params<Params>(in.params)), x(to_tensor(in.x)), labels(in.labels) {}
    Params params;
    df::tensor<float> x;
    df::tensor<std::int64_t> labels;
};

std::string dump_folder;  // empty: nothing is written

std::string folder_of(const std::string& work) {
    std::string folder = dump_folder + "/" + work;
    std::filesystem::create_directories(folder);
    return folder;
}

template <class Params> void dump_inputs(const std::string& folder, const batch& in, const df_inputs<Params>& d) {
    const tensors p = leaves(d.params);
    for (std::size_t k = 0; k < p.size(); ++k) df::save_npy(folder + "/" + in.params[k].name + ".npy", p[k]);
    df::save_npy(folder + "/x.npy", d.x);
    df::save_npy(folder + "/labels.npy", d.labels);
}

// ---- compare, then register ---------------------------------------------------------------------

// Example e of df's stacked gradients against gradients of one example that start at `want`.
void require_example(const std::string& what, const batch& in, const tensors& got, std::size_t e,
                     const baseline::pointers<float>& want) {
    for (std::size_t k = 0; k < got.size(); ++k) {
        const std::size_t n = in.params[k].values.size();
        if (static_cast<std::size_t>(static_cast<std::int64_t>(got[k].size())) != n * in.size())
            throw std::runtime_error(what + ": wrong size of the gradient of " + in.params[k].name);
        baseline::require_close(what + ", " + in.params[k].name, got[k].data() + e * n, want[k], n);
    }
}

// df vectorized and one by one, for any model. `by_hand(e)` points to the gradients of example e made without df.
template <class Params, class Loss, class ByHand>
void add_df(const std::string& name, const std::string& work, benchmark::TimeUnit unit, const batch& in, Loss loss,
            const std::vector<std::size_t>& compared, ByHand by_hand) {
    auto d = std::make_shared<df_inputs<Params>>(in);
    auto all = vectorized<Params>(loss);
    auto one = one_example<Params>(loss);
    auto loop = [d, one, n = static_cast<std::int64_t>(in.size())]() mutable {
        std::vector<Params> g;
        g.reserve(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) g.push_back(one(d->params, d->x[i], d->labels[i]));
        return g;
    };
    const tensors together = leaves(all(d->params, d->x, d->labels));
    {
        const std::vector<Params> apart = loop();
        for (std::size_t e : compared) {
            const auto want = by_hand(e);
            require_example(name + " vectorized against by hand", in, together, e, want);
            const tensors single = leaves(apart[e]);
            for (std::size_t k = 0; k < single.size(); ++k)
                baseline::require_close(name + " one by one against by hand", single[k].data(), want[k],
                                        in.params[k].values.size());
        }
    }
    if (!dump_folder.empty()) {
        const std::string folder = folder_of(work);
        dump_inputs(folder, in, *d);
        for (std::size_t k = 0; k < together.size(); ++k)
            df::save_npy(folder + "/grad_" + in.params[k].name + ".npy", together[k]);
    }
    bench::add(name + "/vectorized", unit, [d, all]() mutable { return all(d->params, d->x, d->labels); });
    bench::add(name + "/one_by_one", unit, std::move(loop));
}

// The rivals by hand, and df against them.
template <class Params, class Loss, class ByEigen, class ByLoops>
void add_all(const std::string& kind, benchmark::TimeUnit unit, batch inputs, Loss loss, ByEigen eigen, ByLoops loops) {
    const std::size_t n = inputs.size();
    const std::string name = kind + "/" + std::to_string(n);
    auto in = std::make_shared<batch>(std::move(inputs));
    auto out = std::make_shared<arrays>(baseline::room_for_gradients(in->params, n));
    {
        arrays looped = *out;
        loops(*in, looped);
        eigen(*in, *out);
        baseline::require_close(name + " by hand, Eigen against loops", *out, looped);
    }
    std::vector<std::size_t> every;
    for (std::size_t e = 0; e < n; ++e) every.push_back(e);
    add_df<Params>(name, kind + "_" + std::to_string(n), unit, *in, loss, every, [&](std::size_t e) {
        auto p = baseline::pointers_to(*out);
        for (std::size_t k = 0; k < p.size(); ++k) p[k] += e * in->params[k].values.size();
        return p;
    });
    bench::add(name + "/eigen", unit, [in, out, eigen]() mutable { eigen(*in, *out); });
    bench::add(name + "/loops", unit, [in, out, loops] { loops(*in, *out); });
}

void add_cnn(std::size_t n) {
    const batch in = baseline::cnn_batch(n);
    arrays one = baseline::room_for_gradients(in.params, 1);
    add_df<bench::cnn>("cnn/" + std::to_string(n), "cnn_" + std::to_string(n), benchmark::kMillisecond, in,
                       bench::cnn_loss, {0, n / 2, n - 1}, [&](std::size_t e) {
                           baseline::cnn_loops_one(in, e, one);
                           return baseline::pointers_to(one);
                       });
}

void add_lstm_jacobian(int outputs) {
    const std::string name = "lstm_jacobian/" + std::to_string(outputs);
    auto in = std::make_shared<batch>(baseline::lstm_batch(1));
    auto d = std::make_shared<df_inputs<bench::lstm>>(*in);
    auto x = std::make_shared<df::tensor<float>>(d->x[0]);
    auto out = std::make_shared<std::vector<float>>();
    baseline::lstm_jacobian_eigen eigen;
    eigen(in->params, in->x.values.data(), outputs, *out);

    auto all = lstm_jacobian(outputs);
    auto row = lstm_jacobian_row();
    auto basis = std::make_shared<tensors>();
    for (std::size_t k = 0; k < static_cast<std::size_t>(outputs); ++k) {
        std::vector<float> e(baseline::lstm_hidden, 0.f);
        e[k] = 1;
        basis->push_back(df::tensor<float>(e));
    }
    auto loop = [d, x, row, basis]() mutable {
        tensors rows;
        rows.reserve(basis->size());
        for (const auto& e : *basis) rows.push_back(row(d->params, *x, e));
        return rows;
    };
    const df::tensor<float> jacobian = all(d->params, *x);
    if (static_cast<std::size_t>(static_cast<std::int64_t>(jacobian.size())) != out->size())
        throw std::runtime_error(name + ": wrong size");
    baseline::require_close(name + " vectorized against by hand", jacobian.data(), out->data(), out->size());
    const tensors rows = loop();
    const std::size_t n = in->example_size();
    for (std::size_t k = 0; k < rows.size(); ++k)
        baseline::require_close(name + " one by one against by hand", rows[k].data(), out->data() + k * n, n);
    if (!dump_folder.empty()) {
        const std::string folder = folder_of("lstm_jacobian_" + std::to_string(outputs));
        dump_inputs(folder, *in, *d);
        df::save_npy(folder + "/jacobian.npy", jacobian);
    }
    bench::add(name + "/vectorized", benchmark::kMillisecond, [d, x, all]() mutable { return all(d->params, *x); });
    bench::add(name + "/one_by_one", benchmark::kMillisecond, std::move(loop));
    bench::add(name + "/eigen", benchmark::kMillisecond,
               [in, out, eigen, outputs]() mutable { eigen(in->params, in->x.values.data(), outputs, *out); });
}

void take_dump_flag(int& argc, char** argv) {
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        std::string_view a = argv[i];
        if (a.substr(0, 7) == "--dump=") dump_folder = a.substr(7);
        else argv[kept++] = argv[i];
    }
    argc = kept;
}

void print_ratios(const bench::medians& m) {
    std::printf("\nratios of medians\n");
    for (const char* work : {"mlp/1", "mlp/64", "mlp/256", "mlp/1797", "lstm/64", "cnn/64", "lstm_jacobian/128"}) {
        const std::string w = work;
        const bool target = w == "mlp/1797" || w == "lstm/64";
        m.ratio(w + "/vectorized", w + "/eigen", target ? "wanted: at most 2" : "");
        m.ratio(w + "/loops", w + "/vectorized", target ? "wanted: at least 1.5" : "");
        m.ratio(w + "/one_by_one", w + "/vectorized");
    }
}

}  // namespace

int main(int argc, char** argv) try {
    take_dump_flag(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

    baseline::check_mlp();
    baseline::check_lstm();
    baseline::check_cnn();
    for (std::size_t n : {1u, 64u, 256u, 1797u})
        add_all<bench::mlp>("mlp", benchmark::kMicrosecond, baseline::mlp_batch(n), bench::mlp_loss,
                            baseline::mlp_eigen{}, baseline::mlp_loops);
    add_all<bench::lstm>("lstm", benchmark::kMillisecond, baseline::lstm_batch(64), bench::lstm_loss,
                         baseline::lstm_eigen{}, baseline::lstm_loops);
    add_cnn(64);
    add_lstm_jacobian(128);
    std::printf("all results agree\n");

    bench::medians m;
    benchmark::RunSpecifiedBenchmarks(&m);
    print_ratios(m);
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
