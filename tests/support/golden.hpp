// Approved texts in tests/golden. DF_APPROVE=1 in the environment writes what the tests print now.
#pragma once

#include <support/catch.hpp>

#include <string>
#include <string_view>

namespace df_test {

// Where the text leaves the approved one, or the empty string: golden("mlp.vectorize.txt", df::print(graph)).
std::string golden(const std::string& name, std::string_view text);

}  // namespace df_test

#define DF_GOLDEN(name, text) CHECK(df_test::golden(name, text) == "")
