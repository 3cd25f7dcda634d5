// Lesson 3: structs of tensors.
//
// The parameters of a model are a struct. df takes it apart and puts it together again: a function of a struct has a
// gradient of the same type, pfor over structs returns the same struct with one more axis in every member, and
// df::tree_map walks several structs side by side. Two ways to tell df about a struct:
//   BOOST_HANA_ADAPT_STRUCT(layer, w, b);   outside, for plain structs (at most 39 members)
//   df_members()                            inside, for templates, private members, any number
// Members may be tensors, other such structs, std::vector, array, pair and tuple of them, and plain numbers, which are
// options and no parameters.
#include <df/df.hpp>

#include <iostream>
#include <vector>

struct layer {
    df::tensor<float> w, b;
};
BOOST_HANA_ADAPT_STRUCT(layer, w, b);

class network {
    std::vector<layer> hidden_; // structs nest
    layer last_;
    float slope_ = 0.5f; // an option: part of the structure, not of the gradient

public:
    network() = default;
    network(std::vector<layer> hidden, layer last) : hidden_(std::move(hidden)), last_(std::move(last)) {}
    static constexpr auto df_members() { return std::tuple{&network::hidden_, &network::last_, &network::slope_}; }

    df::tensor<float> operator()(df::tensor<float> x) const {
        for (const auto& l : hidden_) {
            auto z = df::matmul(x, l.w) + l.b;
            x = df::maximum(z, slope_ * z);
        }
        return df::matmul(x, last_.w) + last_.b;
    }
    const std::vector<layer>& hidden() const { return hidden_; }
    const layer& last() const { return last_; }
};

// A struct whose members have static sizes.
struct plane {
    df::tensor<float, 3> normal;
    df::scalar<float> offset;
};
BOOST_HANA_ADAPT_STRUCT(plane, normal, offset);

int main() {
    const layer first{{{1, -1}, {2, 1}}, {0, 1}}, last{{{1, 0}, {2, 1}}, {0.5f, 0}};
    const network net({first}, last);
    df::tensor<float> xs{{1, 2}, {3, -4}};

    auto total = [](const network& n, df::tensor<float> x) { return df::sum(n(x)); };
    std::cout << "value " << total(net, xs[0]) << "\n";
    const network g = df::grad(total)(net, xs[0]); // a network again
    std::cout << "by the hidden weights\n" << g.hidden()[0].w << "\nby the last ones\n" << g.last().w << "\n";

    // One gradient for each example: the same struct, every member with a leading axis.
    const network each = df::pfor(2, [&](df::index i) { return df::grad(total)(net, xs[i]); });
    std::cout << "hidden biases of each example\n" << each.hidden()[0].b << "\n";

    // A step of gradient descent over the whole structure.
    const network next = df::tree_map([](auto p, auto d) { return p - 0.5f * d; }, net, g);
    std::cout << "after a step of descent: " << total(next, xs[0]) << "\n";

    // Results may be tuples, pairs, arrays; arguments too.
    auto [sum, product] = df::pfor(2, [&](df::index i) { return std::pair{df::sum(xs[i]), df::prod(xs[i])}; });
    std::cout << "sums " << sum << ", products " << product << "\n";

    // Static sizes leave no room for another axis, so many planes are a df::stacked<plane>: it reads like a vector of
    // planes, and a member pointer gives the column of all of them.
    auto distance = [](const plane& p, df::tensor<float, 3> x) { return df::matmul(p.normal, x) - p.offset; };
    const plane floor{{0, 0, 1}, 2};
    df::tensor<float, 2, 3> points{{1, 2, 3}, {4, 5, 6}};
    const df::stacked<plane> slopes = df::pfor(2, [&](df::index i) { return df::grad(distance)(floor, points[i]); });
    static_assert(std::same_as<decltype(slopes[&plane::normal]), df::tensor<float, df::dyn, 3>>);
    std::cout << "normals\n" << slopes[&plane::normal] << "\nthe second alone " << slopes[1].normal << "\n";
}
