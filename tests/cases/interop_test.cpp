// Arrays of other owners: Eigen objects of either storage order, transposed, strided; and the way back.
#include "modes.hpp"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif

using namespace cases;
using by_column = Eigen::MatrixXd;
using by_row = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

// Printing, indexing and arithmetic agree on what the tensor holds, eager and traced.
void check_tensor(const num& t, const numbers& want) {
    CHECK(differs(numbers_of(t), want, 0) == "");
    CHECK(differs(numbers_of(t + 0), want, 0) == "");
    CHECK(differs(numbers_of(df::function([](num x) { return x * 1; })(t)), want, 0) == "");
    const auto r = want.shape.at(0), c = want.shape.at(1);
    for (std::int64_t i = 0; i < r; ++i)
        for (std::int64_t j = 0; j < c; ++j) {
            CHECK(t(i, j).item() == want.v[static_cast<std::size_t>(i * c + j)]);
            CHECK(t[i][j].item() == want.v[static_cast<std::size_t>(i * c + j)]);
        }
    CHECK(differs(numbers_of(df::sum(t, 0) - df::matmul(df::ones<double>({r}), t)), filled({c}, 0), 0) == "");
}

}  // namespace

TEST_CASE("CO1 a transposed view, a column-major and a row-major matrix are read in their own order") {
    by_row rows(2, 2);
    rows << 0, 1, 2, 3;
    check_tensor(num(rows), mat({{0, 1}, {2, 3}}));
    const by_column columns = rows;
    check_tensor(num(columns), mat({{0, 1}, {2, 3}}));
    check_tensor(num(by_column(rows.transpose())), mat({{0, 2}, {1, 3}}));
    const Eigen::Map<const by_column> transposed(rows.data(), 2, 2);  // the row-major memory read by columns
    check_tensor(num(transposed), mat({{0, 2}, {1, 3}}));
    CHECK(num(transposed)(0, 1).item() == 2);
}

TEST_CASE("CO1 a strided block is read by its strides") {
    by_row m(2, 4);
    m << 0, 1, 2, 3, 4, 5, 6, 7;
    const Eigen::Map<const by_row, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> every_second(
        m.data(), 2, 2, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(4, 2));
    check_tensor(num(every_second), mat({{0, 2}, {4, 6}}));
    check_tensor(num(m.block(0, 1, 2, 2)), mat({{1, 2}, {5, 6}}));
    const by_column c = m;
    check_tensor(num(c.block(0, 1, 2, 2)), mat({{1, 2}, {5, 6}}));
}

TEST_CASE("Vectors and arrays of Eigen, one axis; a later change of the matrix is not seen through a copy") {
    Eigen::VectorXd v(3);
    v << 1, 2, 3;
    const num t(v);
    CHECK(differs(numbers_of(t), vec({1, 2, 3}), 0) == "");
    v[0] = 10;
    CHECK(differs(numbers_of(t), vec({1, 2, 3}), 0) == "");
    const Eigen::ArrayXd a = v.array() * 2;
    CHECK(differs(numbers_of(num(a)), vec({20, 4, 6}), 0) == "");
}
