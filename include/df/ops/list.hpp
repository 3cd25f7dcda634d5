// Every record of df in one list: for finding a record by its name, for the laws and for the documentation.
#pragma once
#include <df/ir/constant.hpp>
#include <df/ops/activations.hpp>
#include <df/ops/along.hpp>
#include <df/ops/arith.hpp>
#include <df/ops/contract.hpp>
#include <df/ops/control.hpp>
#include <df/ops/conv.hpp>
#include <df/ops/cut.hpp>
#include <df/ops/dynamic.hpp>
#include <df/ops/extreme.hpp>
#include <df/ops/index.hpp>
#include <df/ops/layout.hpp>
#include <df/ops/math.hpp>
#include <df/ops/norm.hpp>
#include <df/ops/pool.hpp>
#include <df/ops/reduce.hpp>
#include <df/ops/reshape.hpp>
#include <df/ops/scan.hpp>
#include <df/ops/softmax.hpp>
#include <df/ops/sort.hpp>
#include <df/ops/source.hpp>

namespace df::inline DF_ABI::op {
/// The records, family by family.
inline constexpr const ir::op_def* all_records[] = {
    // activations
    &square, &reciprocal, &rsqrt, &sigmoid, &softplus, &relu, &gelu, &silu, &elu, &leaky_relu,
    // along
    &take_along, &put_along,
    // arith
    &add, &subtract, &multiply, &divide, &modulo, &floor_divide, &remainder, &power, &maximum, &minimum, &negative,
    &abs, &sign, &log, &mulz, &equal, &not_equal, &less, &less_equal, &greater, &greater_equal, &isnan, &isinf,
    &isfinite, &bitwise_and, &bitwise_or, &bitwise_xor, &bitwise_not, &left_shift, &right_shift, &select, &convert,
    &stop_gradient,
    // contract
    &contract,
    // control
    &call, &loop, &jvp, &vjp, &lane_in, &lane_out,
    // conv
    &conv,
    // cut
    &slice, &pad, &concatenate,
    // dynamic
    &dynamic_slice, &dynamic_update_slice,
    // extreme
    &argmax, &argmin, &logsumexp,
    // index
    &gather, &scatter_add, &position,
    // layout
    &permute, &broadcast_to, &flip,
    // math
    &sqrt, &exp, &expm1, &log1p, &sin, &cos, &tan, &asin, &acos, &atan, &sinh, &cosh, &tanh, &asinh, &erf, &floor,
    &ceil, &round, &atan2, &hypot,
    // norm
    &norm,
    // pool
    &max_pool, &max_pool_pick, &max_pool_spread,
    // reduce
    &sum, &prod, &max, &min, &any, &all, &mean, &variance, &stddev,
    // reshape
    &reshape,
    // scan
    &cumsum, &recurrence,
    // softmax
    &softmax, &log_softmax, &softmax_cross_entropy,
    // sort
    &sort, &topk,
    // source
    &iota,
    // constant
    &constant,
};
}  // namespace df::inline DF_ABI::op
