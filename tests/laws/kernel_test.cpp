// Laws of the running columns: what a naive kernel writes is what the shape rule says, wherever operands and results lie.
#include <laws/law.hpp>
#include <support/catch.hpp>

#include <cstring>

using namespace df;
using namespace df_test;

namespace {

/// Ways for an array to lie in memory.
enum class lie { packed, turned, reversed, gaps, repeated };
constexpr lie lies[] = {lie::turned, lie::reversed, lie::gaps, lie::repeated};
const char* name(lie l) {
    constexpr const char* names[] = {"packed", "axes in reverse order", "negative strides", "gaps", "stride 0"};
    return names[static_cast<int>(l)];
}

/// Uninitialized elements of type t that lie so. Their storage is filled with `fill`.
core::array place_for(const ir::type& t, lie how, unsigned char fill) {
    core::layout l(t.element, t.dims);
    const int n = l.rank();
    std::int64_t size = 1, offset = 0;
    const auto stride = [&](int i, std::int64_t& step, std::int64_t gap) {
        l.strides.d[i] = step * gap;
        step *= std::max<std::int64_t>(t.dims.d[i], 1) * gap;
    };
    for (int i = n - 1; i >= 0 && how != lie::turned; --i) stride(i, size, how == lie::gaps ? 2 : 1);
    for (int i = 0; i < n && how == lie::turned; ++i) stride(i, size, 1);
    if (how == lie::reversed)
        for (int i = 0; i < n; ++i) {
            offset += std::max<std::int64_t>(t.dims.d[i] - 1, 0) * l.strides.d[i];
            l.strides.d[i] = -l.strides.d[i];
        }
    if (how == lie::repeated && n) l.strides.d[n - 1] = 0;
    core::storage bytes(static_cast<std::size_t>(size + 1) * size_of(t.element));
    std::memset(bytes.data(), fill, static_cast<std::size_t>(size + 1) * size_of(t.element));
    return {l, bytes, offset};
}
core::array moved(const core::array& a, lie how) {
    auto r = place_for(ir::type(a.form.element, a.form.dims), how, 0);
    core::copy_elements(a.form, a.raw(), r.form, r.raw());
    return r;
}
std::vector<core::layout> layouts(const arrays& all) {
    std::vector<core::layout> r;
    for (auto& a : all) r.push_back(a.form);
    return r;
}

void run_kernel(const sample& s, const arrays& in, const arrays& out) {
    const auto from = layouts(in), to = layouts(out);
    const auto k = s.op->kernel({*s.op, s.at, from, to, 0, place::here()});
    std::vector<void*> io;
    for (auto& a : in) io.push_back(a.raw());
    for (auto& a : out) io.push_back(a.raw());
    std::vector<std::uint64_t> workspace(k->workspace / 8 + 1, 0x5A5A5A5A5A5A5A5Au);
    k->run(io.data(), reinterpret_cast<std::byte*>(workspace.data()));
}
std::vector<ir::type> result_types(const sample& s) { return ir::infer(*s.op, s.types, s.at, place::here()); }
arrays results(const std::vector<ir::type>& types, lie how, unsigned char fill) {
    arrays r;
    for (auto& t : types) r.push_back(place_for(t, how, fill));
    return r;
}

/// The samples that a record is tried on: as they are, and in float.
template <class F> void each_sample(law& l, const F& f) {
    for (auto& s : all_samples()) {
        if (!s.op->kernel) continue;
        l.run(s, "", [&] { f(s); });
        if (!s.floating().empty()) l.run(s, "in float", [&] { f(s.in(dtype::float32)); });
    }
}

}  // namespace

TEST_CASE("a kernel writes every element of the types that the shape rule gives, and nothing else") {
    law l;
    each_sample(l, [&](const sample& s) {
        const auto in = draw_all(s, 1);
        const auto types = result_types(s);
        for (auto how : {lie::packed, lie::gaps}) {
            const auto a = results(types, how, 0xA5), b = results(types, how, 0x3C), untouched = results(types, how, 0x3C);
            run_kernel(s, in, a);
            run_kernel(s, in, b);
            l.check(s, "run twice over other old contents", differ(b, a, 0));
            for (std::size_t k = 0; k < types.size(); ++k) {   // what lies between the elements stays
                core::copy_elements(b[k].form, b[k].raw(), untouched[k].form, untouched[k].raw());
                const auto size = static_cast<std::size_t>(how == lie::gaps ? (types[k].dims.elements() << types[k].dims.n) : types[k].dims.elements()) * size_of(types[k].element);
                if (std::memcmp(b[k].bytes.data(), untouched[k].bytes.data(), size) != 0) l.check(s, name(how), "it writes between the elements of result " + std::to_string(k));
            }
        }
    });
    DF_LAW_HOLDS(l);
}

TEST_CASE("a kernel gives the same numbers wherever its operands and results lie") {
    law l;
    each_sample(l, [&](const sample& s) {
        const auto in = draw_all(s, 2);
        const auto types = result_types(s);
        const auto run = [&](const arrays& x, lie to) {
            const auto out = results(types, to, 0xA5);
            run_kernel(s, x, out);
            return out;
        };
        const auto wanted = run(in, lie::packed);
        for (auto how : lies) {
            if (how != lie::repeated) l.check(s, std::string("results with ") + name(how), differ(run(in, how), wanted));
            arrays all;
            for (std::size_t k = 0; k < in.size(); ++k) {
                auto one = in;
                one[k] = moved(in[k], how);
                all.push_back(one[k]);
                auto same = in;
                same[k] = core::packed(one[k]);
                l.check(s, "operand " + std::to_string(k) + " with " + name(how), differ(run(one, lie::packed), how == lie::repeated ? run(same, lie::packed) : wanted));
            }
            if (how != lie::repeated) l.check(s, std::string("everything with ") + name(how), differ(run(all, how), wanted));
        }
    });
    DF_LAW_HOLDS(l);
}

TEST_CASE("a view shows what the kernel would copy") {
    law l;
    for (auto& s : all_samples()) {
        if (!s.op->view || !s.op->kernel) continue;
        l.run(s, "", [&] {
            const auto in = draw_all(s, 3);
            const auto types = result_types(s);
            for (auto how : {lie::packed, lie::turned, lie::reversed, lie::gaps}) {
                arrays x;
                for (auto& a : in) x.push_back(moved(a, how));
                const auto wanted = results(types, lie::packed, 0xA5);
                run_kernel(s, x, wanted);
                const auto from = layouts(x), to = layouts(wanted);
                core::layout seen = to[0];
                std::int64_t offset = 0;
                if (!s.op->view({*s.op, s.at, from, to, 0, place::here()}, seen, offset)) continue;
                l.check(s, std::string("operands with ") + name(how), differ(core::array(seen, x[0].bytes, x[0].offset + offset), wanted[0], 0));
            }
        });
    }
    DF_LAW_HOLDS(l);
}
