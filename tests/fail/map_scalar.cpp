// expect: df: map: the Eigen type has another scalar
#include <df/df.hpp>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif

auto f(df::tensor<double> x) {
#ifdef DF_FAIL
    return x.map<Eigen::Map<const Eigen::VectorXf>>();  // here
#else
    return x.map<Eigen::Map<const Eigen::VectorXd>>();
#endif
}
