// Tensors print as NumPy prints them; show.py wrote show.txt.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>

namespace {
using num = df::tensor<double>;
using ints = df::tensor<std::int64_t>;

std::string numpy(const std::string& name) {
    static const auto all = [] {
        std::map<std::string, std::string> r;
        std::istringstream in(df_test::read_text(df_test::data_path("api/show.txt")));
        std::string line, at;
        while (std::getline(in, line)) {
            if (line.rfind("--- ", 0) == 0) r[at = line.substr(4)];
            else r[at] += (r[at].empty() ? "" : "\n") + line;
        }
        return r;
    }();
    return all.at(name);
}
ints counted(std::vector<std::int64_t> shape) {
    std::int64_t n = 1;
    for (auto s : shape) n *= s;
    std::vector<std::int64_t> v;
    for (std::int64_t i = 0; i < n; ++i) v.push_back(i);
    return ints(v, shape);
}
constexpr double infinity = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("a tensor prints as in NumPy") {
    CHECK(df::to_string(num{1, 2.5, -3}) == numpy("vector"));
    CHECK(df::to_string(num{{1, 2.5}, {3, 4}}) == numpy("matrix"));
    CHECK(df::to_string(num{{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}}) == numpy("cube"));
    CHECK(df::to_string(num{1.0 / 3, 2.0 / 3}) == numpy("digits"));
    CHECK(df::to_string(df::tensor<float>{1.0f / 3, 0.1f}) == numpy("digits of float"));
    CHECK(df::to_string(num{1e10, 1.5e-5}) == numpy("powers"));
    CHECK(df::to_string(num{1e-3, 1, 1001}) == numpy("range"));
    CHECK(df::to_string(num{5e-324, 1}) == numpy("long powers"));
    CHECK(df::to_string(num{1.5, not_a_number, -infinity, infinity}) == numpy("nan and inf"));
    CHECK(df::to_string(num{infinity, -infinity}) == numpy("only inf"));
    CHECK(df::to_string(num{-0.0, 1}) == numpy("minus zero"));
    CHECK(df::to_string(num{{1, -1234.5}, {0.001, 12.25}}) == numpy("columns"));
    CHECK(df::to_string(df::tensor<bool>{{true, false}, {false, true}}) == numpy("bool"));
    CHECK(df::to_string(df::tensor<std::int32_t>{{1, -20}, {300, 4}}) == numpy("integers"));
    CHECK(df::to_string(df::tensor<std::uint8_t>{1, 200}) == numpy("bytes"));
}
TEST_CASE("long rows wrap, and more than a thousand elements are summarised") {
    std::vector<double> line;
    for (int i = 0; i < 30; ++i) line.push_back(i == 29 ? 1.0 : i * (1.0 / 29));
    CHECK(df::to_string(counted({40})) == numpy("wrapped"));
    CHECK(df::to_string(num(line)) == numpy("wrapped numbers"));
    CHECK(df::to_string(counted({250, 4})) == numpy("thousand"));
    CHECK(df::to_string(counted({1001})) == numpy("more than thousand"));
    CHECK(df::to_string(counted({40, 50})) == numpy("summarised matrix"));
    CHECK(df::to_string(counted({2, 8, 100})) == numpy("summarised cube"));
    CHECK(df::to_string(counted({2, 2, 2, 2})) == numpy("four axes"));
    CHECK(df::to_string(num(std::vector<double>{}, {0, 3})) == numpy("no elements"));
}
TEST_CASE("scalars print by themselves, with all their digits") {
    CHECK(df::to_string(num(3.0)) == numpy("scalar"));
    CHECK(df::to_string(num(1.0 / 3)) == numpy("scalar digits"));
    CHECK(df::to_string(num(1e20)) == numpy("large scalar"));
    CHECK(df::to_string(num(1.5e-5)) == numpy("small scalar"));
    CHECK(df::to_string(df::tensor<float>(0.1f)) == numpy("scalar of float"));
    CHECK(df::to_string(ints(5)) == numpy("integer scalar"));
    CHECK(df::to_string(df::tensor<bool>(true)) == numpy("bool scalar"));
    CHECK(df::to_string(num(not_a_number)) == "nan");
    CHECK(df::to_string(num(-infinity)) == "-inf");
}
TEST_CASE("streams take tensors and shapes; strided ones print as they read") {
    std::ostringstream out;
    const num x{{1, 2}, {3, 4}};
    out << x << '|' << x.shape() << '|' << x.dim(0) << '|' << df::tensor<double, 2, 2>(x);
    CHECK(out.str() == "[[1. 2.]\n [3. 4.]]|[2, 2]|2|[[1. 2.]\n [3. 4.]]");
    const double raw[] = {1, 2, 3, 4};
    CHECK(df::to_string(df::from_memory(raw, {2, 2}, {1, 2})) == "[[1. 3.]\n [2. 4.]]");
}
TEST_CASE("a staged tensor prints its type, an empty handle says so") {
    std::string inside;
    const auto f = df::function([&](df::tensor<float> x) {
        std::ostringstream out;
        out << x << ", " << x[0];
        inside = out.str();
        return x;
    });
    f(df::tensor<float>{1, 2, 3});
    CHECK(inside == "staged float[3], staged float[]");
    CHECK(df::to_string(num()) == "empty tensor");
}
