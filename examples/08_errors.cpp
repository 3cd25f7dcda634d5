// Lesson 8: the errors one meets.
//
// Most mistakes with static sizes and types do not compile (lesson 2). The others throw. Every message says which
// operation, what is wrong, the types of the operands and what to do, and ends with the file and line of YOUR program,
// also when the mistake shows only inside a transform. All errors are a df::error: shape_error, dtype_error,
// trace_error, vectorize_error, memory_error, device_error, io_error, check_error.
// After an error nothing is half done: the next call behaves as if the failed one had not been made.
#include <df/df.hpp>

#include <iostream>
#include <string>

using mat = df::tensor<float>;

// Runs something that fails and prints the message, with this file's name in place of its path.
template <class F> void show(const char* what, F f) {
    std::cout << "-- " << what << "\n";
    try {
        f();
        std::cout << "no error?\n";
    } catch (const df::error& e) {
        std::string text = e.what();
        const std::string path = __FILE__;
        for (auto at = text.find(path); at != std::string::npos; at = text.find(path))
            text.replace(at, path.size(), "lesson 8");
        std::cout << text << "\n";
    }
}

int main() {
    const mat a{{1, 2, 3}, {4, 5, 6}}, v{1, 2};

    show("the inner sizes of a product", [&] { return df::matmul(a, v); });
    show("an operator whose operands do not broadcast", [&] { return a + v; });
    show("an axis that is not there", [&] { return df::sum(a, 2); });
    show("an index out of range", [&] { return a[5]; });
    show("a reshape to another count", [&] { return df::reshape(a, {4, 2}); });
    show("more than one number asked for one", [&] { return a.item(); });

    // While a function is traced its values do not exist yet, so a plain `if` on them cannot work.
    auto branch = df::function([](mat x) {
        if (df::sum(x) > 0) return x;
        return -x;
    });
    show("if on a traced value", [&] { return branch(v); });

    // A traced value that leaves its function by another way than the result is of no use afterwards.
    mat kept;
    df::function([&](mat x) { return kept = x + 1, x; })(v);
    show("a traced value used outside", [&] { return kept * 2; });

    // Derivatives: of a scalar, by something that has one.
    show("the gradient of a vector", [&] { return df::grad([](mat x) { return x * x; })(v); });
    show("the gradient by an integer", [&] {
        const df::tensor<std::int64_t> whole{1, 2};
        return df::grad([](df::tensor<std::int64_t> n) { return df::sum(df::cast<float>(n)); })(whole);
    });

    // Mistakes inside a body are reported with the sizes that one example sees.
    show("a mistake inside pfor", [&] { return df::pfor(2, [&](df::index i) { return df::matmul(a[i], v); }); });
    show("arguments of different lengths", [&] {
        return df::map([](mat x, mat y) { return x * y; })(a, mat{1, 2, 3});
    });

    // Files.
    show("a file that is missing", [&] { return df::load_npy<float>("no_such_file.npy"); });

    // A call after an error works.
    std::cout << "and on: " << df::matmul(v, a) << "\n";
}
