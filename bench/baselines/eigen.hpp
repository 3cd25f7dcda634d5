// What the hand-written Eigen gradients share: row-major matrix and map types, and the batched softmax head.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace baseline {

using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using rows = Eigen::Map<matrix>;
using const_rows = Eigen::Map<const matrix>;
using const_row = Eigen::Map<const Eigen::RowVectorXf>;
using strided_rows = Eigen::Map<matrix, 0, Eigen::OuterStride<>>;
template <int R, int C> using block =
    Eigen::Map<Eigen::Matrix<float, R, C, (C == 1 ? Eigen::ColMajor : Eigen::RowMajor)>>;
template <int R, int C> using const_block =
    Eigen::Map<const Eigen::Matrix<float, R, C, (C == 1 ? Eigen::ColMajor : Eigen::RowMajor)>>;

// d = softmax(d) - one_hot(label), row by row.
inline void softmax_minus_one_hot(matrix& d, const std::vector<std::int64_t>& labels) {
    d.colwise() -= d.rowwise().maxCoeff().eval();
    d.array() = d.array().exp();
    d.array().colwise() /= d.rowwise().sum().array().eval();
    for (Eigen::Index e = 0; e < d.rows(); ++e) d(e, labels[static_cast<std::size_t>(e)]) -= 1;
}

}  // namespace baseline
