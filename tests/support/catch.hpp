// One door to Catch2, version 2 or 3, with what the tests need beyond it.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>

namespace df_test {

// The wanted pieces that `text` lacks, one per line; empty when all are there.
inline std::string missing(std::string_view text, std::initializer_list<std::string_view> wanted) {
    std::string lacks;
    for (std::string_view piece : wanted)
        if (text.find(piece) == std::string_view::npos) lacks.append(piece).append("\n");
    return lacks;
}

// Runs `body`, which must throw an `Error` whose text holds every piece; the empty string when it does.
template <class Error, class Body>
std::string throws_with(Body&& body, std::initializer_list<std::string_view> pieces) {
    try {
        body();
    } catch (const Error& error) {
        const std::string text = error.what();
        const std::string lacks = missing(text, pieces);
        return lacks.empty() ? lacks : "lacks:\n" + lacks + "in:\n" + text;
    } catch (const std::exception& error) {
        return std::string("another exception: ") + error.what();
    } catch (...) {
        return "something that is no std::exception";
    }
    return "no exception";
}

}  // namespace df_test

// DF_THROWS_WITH(df::matmul(a, b), df::shape_error, "matmul", "2x3"): the expression throws an error of that type, and
// its text holds every piece. At least one piece.
#define DF_THROWS_WITH(expression, type, ...)                                                                          \
    do {                                                                                                               \
        INFO(#expression);                                                                                             \
        CHECK(df_test::throws_with<type>([&] { static_cast<void>(expression); }, {__VA_ARGS__}) == "");                \
    } while (false)
