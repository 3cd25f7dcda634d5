// The parts of the support headers that need no template.
#include <support/data.hpp>
#include <support/golden.hpp>
#include <support/near.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace df_test {

namespace {

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

std::string line_at(std::string_view text, std::size_t start) {
    return std::string(text.substr(start, text.find('\n', start) - start));
}

}  // namespace

std::string data_path(const std::string& name) { return DF_TEST_DATA "/" + name; }

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool long_runs() { return is_set("DF_TEST_ALL"); }

std::string golden(const std::string& name, std::string_view text) {
    const std::filesystem::path path = data_path("golden/" + name);
    if (is_set("DF_APPROVE")) {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return "";
    }
    const std::string now = "\nthe whole text now:\n" + std::string(text);
    if (!std::filesystem::exists(path)) return "golden/" + name + " does not exist; DF_APPROVE=1 writes it" + now;
    const std::string approved = read_text(path.string());
    if (approved == text) return "";
    std::size_t line = 1, start = 0;
    for (std::size_t at = 0; at < approved.size() && at < text.size() && approved[at] == text[at]; ++at)
        if (text[at] == '\n') {
            ++line;
            start = at + 1;
        }
    return "golden/" + name + ":" + std::to_string(line) + "\n  approved: " + line_at(approved, start) +
           "\n  now:      " + line_at(text, start) + now;
}

std::string far(const std::vector<double>& got, const std::vector<double>& wanted, double relative, double absolute) {
    if (got.size() != wanted.size())
        return std::to_string(got.size()) + " numbers, not " + std::to_string(wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        const bool same = got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i]));
        const double gap = std::abs(got[i] - wanted[i]);
        if (same || (std::isfinite(gap) && gap <= absolute + relative * std::abs(wanted[i]))) continue;
        std::ostringstream text;
        text.precision(17);
        text << "[" << i << "] is " << got[i] << ", not " << wanted[i] << ", off by " << got[i] - wanted[i];
        return text.str();
    }
    return "";
}

}  // namespace df_test

// Every graph that a test compiles is verified after each pass.
namespace {
[[maybe_unused]] const bool verified = (df::detail::verify_passes(true), true);
}  // namespace
