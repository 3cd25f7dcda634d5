// Messages: op, shapes and dtypes, the user's line, what to do; once by a named function and once by an operator.
#include <df/df.hpp>
#include <support/catch.hpp>

namespace {
using num = df::tensor<double>;
using ints = df::tensor<std::int64_t>;
const num v3{1, 2, 3}, v4{1, 2, 3, 4}, m23{{1, 2, 3}, {4, 5, 6}};
std::string here(int line) { return "errors_test.cpp:" + std::to_string(line); }
}  // namespace

// The last line of every message is the place of the call.
#define SAYS(expression, type, ...) DF_THROWS_WITH(expression, df::type, here(__LINE__), __VA_ARGS__)

TEST_CASE("sizes that do not broadcast") {
    SAYS(v3 + v4, shape_error, "add: the sizes do not broadcast: double[3], double[4]", "reshape or expand_dims");
    SAYS(df::maximum(v3, v4), shape_error, "maximum: the sizes do not broadcast: double[3], double[4]");
    SAYS(v3 < v4, shape_error, "less: the sizes do not broadcast");
    SAYS(df::where(v3 > 0, v4, 0.0), shape_error, "the sizes do not broadcast");
    SAYS(df::broadcast_to(v3, {4}), shape_error, "broadcast_to: the sizes do not broadcast", "double[3]");
    num x = v3;
    SAYS(x += v4, shape_error, "add: the sizes do not broadcast");
    CHECK(x.shape() == df::shape{3});
}
TEST_CASE("inner sizes, ranks, counts, axes") {
    SAYS(df::matmul(m23, m23), shape_error, "matmul: the inner sizes differ: double[2, 3], double[2, 3]", "transpose one");
    SAYS(df::dot(v3, v4), shape_error, "dot: the inner sizes differ: double[3], double[4]");
    SAYS(df::matmul(m23, num(1.0)), shape_error, "matmul: the rank is too small", "double[]");
    SAYS(num(1.0)[0], shape_error, "operator []: the rank is too small: double[]");
    SAYS(df::reshape(m23, {4, 2}), shape_error, "reshape: the element counts differ", "double[2, 3]", "multiply to the same number");
    SAYS(df::sum(m23, 2), shape_error, "sum: the axis is out of range", "double[2, 3]", "-rank to rank-1");
    SAYS(df::sum(m23, {0, 0}), shape_error, "sum: an axis is repeated", "name each axis once");
    SAYS(df::squeeze(m23, 0), shape_error, "squeeze", "double[2, 3]");
    SAYS(df::concatenate({m23, v3}), shape_error, "concatenate", "double[2, 3]", "double[3]");
    SAYS(df::stack({v3, v4}), shape_error, "stack", "double[3]", "double[4]");
    SAYS(df::max(df::zeros<double>({0})), shape_error, "max: a reduction without identity over an empty axis", "double[0]");
}
TEST_CASE("subscripts out of range") {
    SAYS(m23[2], shape_error, "operator []: index 2 is out of range for axis 0 of double[2, 3]", "-size to size-1");
    SAYS(m23[-3], shape_error, "index -3 is out of range");
    SAYS(m23(0, 3), shape_error, "index 3 is out of range for axis");
    SAYS(m23(0, 0, 0), shape_error, "3 subscripts for double[2, 3]");
    SAYS(m23[df::slice(0, 2, 0)], shape_error, "the step is 0");
}
TEST_CASE("sizes that are negative, too large, or too many") {
    SAYS(df::zeros<double>({-3}), shape_error, "a size is negative", "0 or more");
    SAYS(df::zeros<double>({std::int64_t{1} << 40, std::int64_t{1} << 40}), memory_error, "does not fit into memory", "double");
    DF_THROWS_WITH(df::zeros<double>({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), df::shape_error, "17 axes", "at most 16");
}
TEST_CASE("operands that are empty, numbers that do not fit") {
    SAYS(num() + 1.0, trace_error, "add: an operand is empty", "give it a value");
    SAYS(df::exp(num()), trace_error, "exp: an operand is empty");
    SAYS(df::tensor<std::uint8_t>{1} + 300, dtype_error, "a number does not fit uint8", "df::cast");
}
TEST_CASE("errors inside traces, derivatives and lanes name the line in the body") {
    const auto bad = [](num x) { return x + v4; };
    const auto line = here(__LINE__ - 1);
    DF_THROWS_WITH(df::function(bad)(v3), df::shape_error, "add: the sizes do not broadcast: double[3], double[4]", line);
    DF_THROWS_WITH(df::jacobian(bad)(v3), df::shape_error, "double[3], double[4]", line);
    DF_THROWS_WITH(df::map(bad)(m23), df::shape_error, "add: the sizes do not broadcast: double[3], double[4]", line);
    df::host_mode scope;
    DF_THROWS_WITH(df::map(bad)(m23), df::shape_error, "double[3], double[4]", line);
}
TEST_CASE("staged values have no numbers yet") {
    const auto decide = [](num x) {
        if (x > 0) return x;
        return -x;
    };
    DF_THROWS_WITH(df::function(decide)(num(1.0)), df::trace_error, "operator bool", here(__LINE__ - 3), "df::cond", "df::where", "df::while_loop");
    const auto look = [](num x) { return num(x.item()); };
    DF_THROWS_WITH(df::function(look)(num(1.0)), df::trace_error, "item: the value is staged", here(__LINE__ - 1), "return it from the function");
    DF_THROWS_WITH(df::function([](num x) { return num(x.to_vector()); })(v3), df::trace_error, "staged", here(__LINE__));
    const auto sized = df::function([](ints n) { return df::pfor(n, [](df::index i) { return i; }).dim(0) + 1; });
    DF_THROWS_WITH(sized(ints(3)), df::trace_error, "this size is known only when the program runs");
}
TEST_CASE("every error is a df::error with its place") {
    try {
        (void)(v3 + v4);
        FAIL("no error");
    } catch (const df::error& e) {
        CHECK(e.at.line == __LINE__ - 3);
        CHECK(std::string(e.at.file).find("errors_test.cpp") != std::string::npos);
        CHECK(std::string(e.what()).find("\n  at ") != std::string::npos);
    }
}
