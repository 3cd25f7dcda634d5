// expect: df: map: a df matrix is row-major; give a row-major Eigen type
#include <df/df.hpp>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif

auto f(df::tensor<float> x) {
#ifdef DF_FAIL
    return x.map<Eigen::Map<const Eigen::MatrixXf>>();  // here
#else
    return x.map<Eigen::Map<const Eigen::Matrix<float, -1, -1, Eigen::RowMajor>>>();
#endif
}
