// Lesson 11: a body that is a tree.
//
// A traced lambda is ordinary C++: loops, containers and recursion over host data run while it is traced, and what they
// do with tensors is written down in that order. So a network whose structure is a tree needs nothing special: recurse.
// Here sentences are trees of words, and the vector of a phrase is computed from the vectors of its two parts (a
// recursive network). Every shape of tree is one graph; sentences of the same shape share it and run together.
#include <df/df.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

struct tree {
    std::shared_ptr<const tree> left, right; // both, or none: a leaf
    int word = 0;                            // of a leaf: its position in the sentence
};
using tree_ptr = std::shared_ptr<const tree>;

// "((..).)" as a tree; words are numbered from the left.
tree_ptr parse(const char*& text, int& words) {
    if (*text++ == '.') return std::make_shared<tree>(tree{nullptr, nullptr, words++});
    auto left = parse(text, words), right = parse(text, words);
    ++text; // the closing parenthesis
    return std::make_shared<tree>(tree{left, right});
}
tree_ptr parse(const char* text) {
    int words = 0;
    return parse(text, words);
}

struct parameters {
    df::tensor<double> embedding, join, bias, score; // [words, d], [2d, d], [d], [d]
};
BOOST_HANA_ADAPT_STRUCT(parameters, embedding, join, bias, score);

// The vector of a phrase, given the vectors of the sentence's words.
df::tensor<double> encode(const tree& t, const parameters& p, const df::tensor<double>& words) {
    if (!t.left) return words[t.word];
    auto parts = df::concatenate({encode(*t.left, p, words), encode(*t.right, p, words)});
    return df::tanh(df::matmul(parts, p.join) + p.bias);
}

int main() {
    const parameters p{{{0.1, 0.2}, {0.3, -0.1}, {-0.2, 0.4}, {0.5, 0.1}},
                       {{0.5, -0.3}, {0.2, 0.4}, {-0.1, 0.6}, {0.7, 0.1}},
                       {0.05, -0.05},
                       {1, -2}};
    const df::tensor<std::int64_t> sentences{{0, 1, 2, 3}, {3, 3, 0, 1}, {2, 1, 0, 2}};

    for (const char* shape : {"((..)(..))", "(((..).).)"}) {
        const tree_ptr t = parse(shape);
        // The loss of one sentence. The tree is captured: host data, gone by the time the graph runs.
        auto loss = [&](const parameters& q, df::tensor<std::int64_t> sentence) {
            auto y = df::sum(encode(*t, q, q.embedding[sentence]) * q.score) - 1;
            return y * y;
        };
        // All sentences of this shape at once, each with its own gradient.
        auto all = df::function([&](const parameters& q, df::tensor<std::int64_t> s) {
            return df::pfor(s.dim(0), [&](df::index i) { return df::value_and_grad(loss)(q, s[i]); });
        });
        const auto [losses, gradients] = all(p, sentences);
        std::cout << shape << " losses " << df::round(losses * 1e4) / 1e4 << ", gradients of join "
                  << gradients.join.shape() << "\n";

        // The same on the host, sentence by sentence and operation by operation.
        df::host_mode scope;
        double worst = 0;
        for (std::int64_t k = 0; k < sentences.dim(0); ++k) {
            const auto [value, g] = df::value_and_grad(loss)(p, sentences[k]);
            worst = std::max({worst, std::abs((value - losses[k]).item()),
                              df::max(df::abs(g.embedding - gradients.embedding[k])).item(),
                              df::max(df::abs(g.join - gradients.join[k])).item()});
        }
        std::cout << "equal to one by one: " << (worst < 1e-12 ? "yes" : "no") << "\n";
    }
}
