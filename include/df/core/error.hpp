// The typed errors of df and the place in the user's program that each of them names.
#pragma once
#include <stdexcept>
#include <string>
#include <type_traits>

#include <df/core/config.hpp>

namespace df::inline DF_ABI {

/// A line of the user's program. (std::source_location does not work with clang 14; the builtins do.)
struct place {
    const char* file = "";
    int line = 0;
    constexpr place() = default;
    /// A template, so that the braces of a list of axes, `{0, 1}`, are never a place.
    template <class F> requires std::is_same_v<F, const char*> constexpr place(F f, int l) : file(f), line(l) {}
    static constexpr place here(const char* f = __builtin_FILE(), int l = __builtin_LINE()) { return {f, l}; }
    friend bool operator==(place a, place b) { return a.line == b.line && std::string(a.file) == b.file; }
};

/// The base of everything df throws; `at` is the user's line, `what()` ends with it.
struct error : std::runtime_error {
    place at;
    error(const std::string& message, place where)
        : std::runtime_error(where.line ? message + "\n  at " + where.file + ":" + std::to_string(where.line) : message),
          at(where) {}
};
struct shape_error : error { using error::error; };
struct dtype_error : error { using error::error; };
struct trace_error : error { using error::error; };
struct vectorize_error : error { using error::error; };
struct memory_error : error { using error::error; };
struct device_error : error { using error::error; };
struct io_error : error { using error::error; };
struct check_error : error { using error::error; };

/// df itself is wrong: never the user's fault.
struct internal_error : error { using error::error; };

}  // namespace df::inline DF_ABI
