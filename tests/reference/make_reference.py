#!/usr/bin/env python3
"""Writes the reference values that reference_test.cpp compares df with: one small text file per family.

    pip install numpy scipy jax && python3 make_reference.py        (writes beside itself; the test needs no Python)

Values come from NumPy (SciPy for erf, expit, logsumexp), gradients from JAX in float64. Where a case has both a NumPy and
a JAX function their values are compared before anything is written. Numbers given by hand (`out=`, `grads=`) are df's
documented conventions where NumPy or JAX has none or another one: norm'(0) = 0, an arm that is not taken contributes 0,
integer / and % as in C++, sums of integers are int64, NaN is the greatest in sort, argsort and topk.
`gelu` is the exact form x/2 (1 + erf(x/sqrt 2)), not the tanh approximation; layer_norm works on the last axis with
eps 1e-5; variance divides by n; conv is a correlation, N C spatial times O I spatial; a one_hot label out of range is a row of zeros.

A case:     case NAME / op OP / in DTYPE SHAPE : VALUES / attr NAME WORDS / out ... / cot ... / vjp INPUT ... / end
SHAPE is 2,3 or - for rank 0. `vjp k` is the gradient of sum(out0 * cot) with respect to input k. `signed` asks that zeros
have the written sign, `tol RTOL ATOL` replaces the default tolerance.
"""
import pathlib
import jax
import jax.numpy as jnp
import numpy as np
import scipy
import scipy.special as sp

jax.config.update("jax_enable_x64", True)
np.seterr(all="ignore")
inf, nan = np.inf, np.nan
SHORT = {"float64": "f64", "float32": "f32", "int64": "i64", "int32": "i32", "uint8": "u8", "bool": "bool"}
files, names = {}, set()


def f64(x): return np.asarray(x, np.float64)
def f32(x): return np.asarray(x, np.float32)
def i64(x): return np.asarray(x, np.int64)
def i32(x): return np.asarray(x, np.int32)
def u8(x): return np.asarray(x, np.uint8)
def b8(x): return np.asarray(x, np.bool_)


def ramp(*shape, k=1.0):
    """Deterministic values in [-2, 2] with two digits, all different for the sizes used here."""
    return np.round(2 * np.sin(1.7 * k * np.arange(1, int(np.prod(shape)) + 1) + k), 2).reshape(shape)


def cotangent(shape): return np.resize(f64([1, -0.5, 2, 0.25, -1.5, 0.75, 3]), shape)


def number(v):
    if v.dtype.kind == "b": return str(int(v))
    if v.dtype.kind in "iu": return str(v)
    return str(v) if v.dtype == np.float32 else repr(float(v))      # the shortest text that reads back as the same value


def array(a):
    a = np.asarray(a)
    shape = ",".join(map(str, a.shape)) if a.ndim else "-"
    return " ".join([SHORT[str(a.dtype)], shape, ":"] + [number(v) for v in a.reshape(-1)])


def words(v):
    if v is True: return ""
    return "".join(" " + (repr(float(w)) if isinstance(w, float) else str(w)) for w in (v if isinstance(v, (list, tuple)) else [v]))


def case(name, op, *ins, ref=None, jx=None, out=None, grads=None, wrt=None, cot=None, signed=False, tol=None, **attrs):
    """One case. ref: NumPy function of the inputs, jx: JAX function, out / grads {input: gradient}: given by hand."""
    assert name not in names, name
    names.add(name)
    ins = [np.asarray(x) for x in ins]
    if out is None: out = ref(*ins) if ref else jx(*ins)
    outs = [np.asarray(o) for o in (out if isinstance(out, tuple) else (out,))]
    if ref and jx:
        other = jx(*map(jnp.asarray, ins))
        for o, p in zip(outs, other if isinstance(other, tuple) else (other,)):
            assert o.shape == p.shape, name
            np.testing.assert_allclose(np.asarray(p), o, rtol=2e-6 if o.dtype == np.float32 else 1e-12, atol=1e-14, err_msg=name)
    text = ["case " + name, "op " + op] + ["in " + array(x) for x in ins]
    text += ["attr " + k + words(v) for k, v in attrs.items()] + ["out " + array(o) for o in outs]
    if wrt is None: wrt = [k for k, x in enumerate(ins) if x.dtype == np.float64] if (jx or grads) and outs[0].dtype == np.float64 else []
    if wrt:
        cot = cotangent(outs[0].shape) if cot is None else np.broadcast_to(f64(cot), outs[0].shape)
        given = {k: f64(g) for k, g in (grads or {}).items()}
        if any(k not in given for k in wrt):
            def first(*x):
                full = list(map(jnp.asarray, ins))
                for k, v in zip(wrt, x): full[k] = v
                r = jx(*full)
                return r[0] if isinstance(r, tuple) else r
            pulled = jax.vjp(first, *[jnp.asarray(ins[k]) for k in wrt])[1](jnp.asarray(cot))
            given = {**{k: np.asarray(g) for k, g in zip(wrt, pulled)}, **given}
        text.append("cot " + array(cot))
        for k in wrt:
            assert given[k].shape == ins[k].shape and (grads or np.isfinite(given[k]).all()), (name, given[k])
            text.append("vjp %d %s" % (k, array(given[k])))
    if signed: text.append("signed")
    if tol: text.append("tol %g %g" % tol)
    files[family].append("\n".join(text + ["end", ""]))


def begin(name):
    global family
    family = name
    files[name] = []


# ---------------------------------------------------------------------------------------------------- elementwise
begin("elementwise")
G, P = f64([-2.5, -1.2, -0.3, 0.4, 1.1, 3.2]), f64([0.01, 0.3, 1, 2.5, 40])
E = f64([0.0, -0.0, 1, -1, inf, -inf, nan, 2.5])
STEP = f64([-2.5, -1.5, -0.5, -0.0, 0.0, 0.5, 1.5, 2.5, 0.49999999999999994, 4503599627370497.5, -1e300, inf, -inf, nan])
softplus, relu = lambda x: np.logaddexp(0, x), lambda x: np.maximum(x, 0)
elu = lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
leaky = lambda x: np.where(x > 0, x, x * x.dtype.type(0.01))
gelu = lambda x: (0.5 * x * (1 + sp.erf(x / np.sqrt(2)))).astype(x.dtype)
silu = lambda x: x * sp.expit(x)
UNARY = [  # name, NumPy, JAX, points for value and gradient, edge points (value, sign of zero)
    ("negative", np.negative, jnp.negative, G, E), ("abs", np.abs, jnp.abs, G, E), ("sign", np.sign, jnp.sign, G, [2.0, -3, inf, -inf, nan]),
    ("sqrt", np.sqrt, jnp.sqrt, P, [0.0, -0.0, 4, inf, -1, nan]), ("exp", np.exp, jnp.exp, G, [0.0, -0.0, inf, -inf, nan, 710, -800]),
    ("expm1", np.expm1, jnp.expm1, G, [0.0, -0.0, inf, -inf, nan, -50, 710]), ("log", np.log, jnp.log, P, [0.0, -0.0, 1, inf, -1, nan]),
    ("log1p", np.log1p, jnp.log1p, P, [0.0, -0.0, -1, -2, inf, nan]), ("sin", np.sin, jnp.sin, G, [0.0, -0.0, inf, -inf, nan]),
    ("cos", np.cos, jnp.cos, G, [0.0, -0.0, inf, -inf, nan]), ("tan", np.tan, jnp.tan, G, [0.0, -0.0, inf, nan]),
    ("tanh", np.tanh, jnp.tanh, G, [0.0, -0.0, inf, -inf, nan, 50, -50]), ("asinh", np.arcsinh, jnp.arcsinh, G, [0.0, -0.0, inf, -inf, nan, 1e200, -1e200]),
    ("erf", sp.erf, jax.lax.erf, G, [0.0, -0.0, inf, -inf, nan, 7, -7]), ("floor", np.floor, jnp.floor, G, STEP), ("ceil", np.ceil, jnp.ceil, G, STEP),
    ("round", np.round, jnp.round, G, STEP), ("square", np.square, jnp.square, G, [0.0, -0.0, inf, -inf, nan, 1e200]),
    ("reciprocal", np.reciprocal, jnp.reciprocal, G, [0.0, -0.0, inf, -inf, nan]), ("rsqrt", lambda x: 1 / np.sqrt(x), jax.lax.rsqrt, P, [0.0, inf, -1, nan, 4]),
    ("sigmoid", sp.expit, jax.nn.sigmoid, G, [0.0, inf, -inf, nan, 800, -800]), ("softplus", softplus, jax.nn.softplus, G, [0.0, inf, -inf, nan, 1000, -1000]),
    ("relu", relu, jax.nn.relu, G, [inf, -inf, nan, 5, -5]), ("elu", elu, jax.nn.elu, G, [0.0, inf, -inf, nan, -50]),
    ("leaky_relu", leaky, jax.nn.leaky_relu, G, [inf, -inf, nan, 0.0]), ("gelu", gelu, lambda x: jax.nn.gelu(x, approximate=False), G, [0.0, inf, nan, 30, -1]),
    ("silu", silu, jax.nn.silu, G, [0.0, inf, nan, 800, -800]), ("asin", np.arcsin, jnp.arcsin, G / 4, [0.0, -0.0, 1, -1, 2, nan]), ("acos", np.arccos, jnp.arccos, G / 4, [1.0, -1, 2, nan]),
    ("atan", np.arctan, jnp.arctan, G, [0.0, -0.0, inf, -inf, nan]), ("sinh", np.sinh, jnp.sinh, G, [0.0, -0.0, inf, -inf, nan, 710]), ("cosh", np.cosh, jnp.cosh, G, [0.0, inf, -inf, nan, -710]),
]
for op, ref, jx, points, edge in UNARY:
    case(op, op, points, ref=ref, jx=jx)
    case(op + "_edge", op, f64(edge), ref=ref, signed=op not in ("leaky_relu", "elu", "silu"))
    case(op + "_f32", op, f32(points), ref=ref, jx=jx)
for op, ref in (("negative", np.negative), ("abs", np.abs), ("sign", np.sign), ("square", np.square)):
    case(op + "_i64", op, i64([-3, 0, 7, 3000000000]), ref=ref)
    case(op + "_i32", op, i32([[-3], [0], [7]]), ref=ref)
case("stop_gradient", "stop_gradient", ramp(2, 2), ref=np.array, grads={0: np.zeros((2, 2))})
for op, ref, x in (("expm1", np.expm1, [1e-10, -1e-15]), ("log1p", np.log1p, [1e-10, -1e-15]), ("tanh", np.tanh, [1e-10, -1e-8]),
                   ("asinh", np.arcsinh, [1e-10, -1e-8, 1e5, -1e5]), ("erf", sp.erf, [1e-10, -1e-8]), ("exp", np.exp, [-700.0, 700]),
                   ("sigmoid", sp.expit, [-40.0, -700]), ("softplus", softplus, [-40.0, -700]), ("log", np.log, [1e-300, 1e300, 1 + 1e-10]),
                   ("sqrt", np.sqrt, [1e-300, 1e300]), ("rsqrt", lambda x: 1 / np.sqrt(x), [1e-300, 1e300])):
    case(op + "_relative", op, f64(x), ref=ref, tol=(1e-12, 0))
for op, ref in (("sin", np.sin), ("cos", np.cos), ("tan", np.tan)): case(op + "_large", op, f64([1e3, -1e5, 1e10]), ref=ref)
# kinks and singular points
case("abs_kink", "abs", f64([0, -0.0, 2]), ref=np.abs, grads={0: [0, 0, 1]}, cot=1)
case("sign_zero", "sign", f64([0, -0.0]), ref=np.sign, grads={0: [0, 0]})
case("relu_kink", "relu", f64([-1, 0, 1]), ref=relu, jx=jax.nn.relu)
case("sqrt_zero", "sqrt", f64([0, 4]), ref=np.sqrt, grads={0: [inf, 0.25]}, cot=1)
case("log_zero", "log", f64([0, 4]), ref=np.log, grads={0: [inf, 0.25]}, cot=1)
case("softplus_large", "softplus", f64([1000, -1000, 0]), ref=softplus, grads={0: [1, 0, 0.5]}, cot=1)
case("sigmoid_large", "sigmoid", f64([1000, -1000, 0]), ref=sp.expit, grads={0: [0, 0, 0.25]}, cot=1)
case("tanh_large", "tanh", f64([1000, -1000]), ref=np.tanh, grads={0: [0, 0]})
case("asinh_huge", "asinh", f64([1e200, -1e200]), ref=np.arcsinh, grads={0: [1e-200, 1e-200]}, cot=1, tol=(1e-12, 0))
# binary: named functions and operators
A, B = f64([[1.5, -2, 0.25], [3, -0.5, 4]]), f64([[2, 0.5, -1.5], [1, 3, -0.75]])
ARITH = [("add", "+", np.add, jnp.add), ("subtract", "-", np.subtract, jnp.subtract), ("multiply", "*", np.multiply, jnp.multiply), ("divide", "/", np.divide, jnp.divide)]
for op, sign, ref, jx in ARITH:
    case(op, op, A, B, ref=ref, jx=jx)
    case(op + "_operator", sign, A, B, ref=ref, jx=jx)
    case(op + "_row", op, A, B[0], ref=ref, jx=jx)
    case(op + "_outer", sign, A[:, :1], B[:1], ref=ref, jx=jx)
    case(op + "_scalar", op, f64(2.5), A, ref=ref, jx=jx)
    case(op + "_rank3", sign, ramp(2, 1, 2), ramp(3, 1, k=2), ref=ref, jx=jx)
    case(op + "_empty", sign, np.zeros((0, 3)), np.ones((1, 3)), ref=ref, jx=jx)
    case(op + "_edge", op, E[:, None], E, ref=ref, signed=True)
    case(op + "_f32", op, f32(A), f32(B), ref=ref)
case("add_ones", "+", f64([[1]]), np.zeros((0, 1)), ref=np.add, jx=jnp.add)
for op, sign, ref, _ in ARITH[:3]:
    case(op + "_i64", op, i64([9007199254740993, -7, 3]), i64([1, 2, -3]), ref=ref)
    case(op + "_i32", sign, i32([[5], [-7]]), i32([1, 2, -3]), ref=ref)
case("add_u8", "+", u8([200, 1]), u8([100, 2]), ref=np.add)
QUOT, BY = [-7, 7, -7, 7, -1, 1, -5, 5], [2, 2, -2, -2, 3, -3, 3, -3]
for kind, conv in (("i64", i64), ("i32", i32)):
    case("divide_" + kind, "/", conv(QUOT), conv(BY), out=np.trunc(np.divide(QUOT, BY)).astype(conv([0]).dtype))
    case("divide_named_" + kind, "divide", conv(QUOT), conv(BY), out=np.trunc(np.divide(QUOT, BY)).astype(conv([0]).dtype))
    case("modulo_" + kind, "%", conv(QUOT), conv(BY), ref=np.fmod)
    case("floor_divide_" + kind, "floor_divide", conv(QUOT), conv(BY), ref=np.floor_divide)
    case("remainder_" + kind, "remainder", conv(QUOT), conv(BY), ref=np.remainder)
Q, R = f64([-7.5, -7, 7, 7.5, 1.25])[:, None], f64([2, -2, 0.75])
case("floor_divide", "floor_divide", Q, R, ref=np.floor_divide, grads={0: np.zeros((5, 1)), 1: np.zeros(3)})
case("remainder", "remainder", Q, R, ref=np.remainder, jx=jnp.remainder)
case("modulo", "%", f64([-7.5, 7.25, 7.25, -1])[:, None], f64([2, -2, 0.75]), ref=np.fmod, jx=jnp.fmod)
case("hypot", "hypot", A, B, ref=np.hypot, jx=jnp.hypot)
case("hypot_range", "hypot", f64([3e200, 3e-200, inf, 0]), f64([4e200, 4e-200, nan, -2]), ref=np.hypot, tol=(1e-12, 0))
case("hypot_zero", "hypot", f64([0, 3]), f64([0, 4]), out=f64([0, 5]), grads={0: [0, 0.6], 1: [0, 0.8]}, cot=1)
case("power", "power", f64([0.5, 1.5, 2, 3]), f64([2, -1.5, 0.5, 0]), ref=np.power, jx=jnp.power)
case("power_short_name", "pow", f64([[0.5], [2]]), f64([2, -1.5, 0.5]), ref=np.power, jx=jnp.power)
case("power_negative_base", "power", f64([-2, -1.5, -3]), f64([2, 3, -1]), ref=np.power, jx=jnp.power, wrt=[0])
case("power_zero_base", "power", np.zeros(6), f64([2, 1, 0.5, 0, 1.875, -1]), ref=np.power, wrt=[0], grads={0: [0, 1, inf, 0, 0, -inf]}, cot=1)
case("power_zero_base_exponent", "power", np.zeros(2), f64([2, 0.5]), ref=np.power, wrt=[1], grads={1: [0, 0]}, cot=1)
for name, c, slopes in (("two", 2.0, [0, -6]), ("one", 1.0, [1, 1]), ("zero", 0.0, [0, 0])):
    case("pow_literal_" + name, "pow_literal", f64([0, -3]), ref=lambda x: x ** c, grads={0: slopes}, cot=1, value=c)
case("pow_literal_half", "pow_literal", f64([0, 4]), ref=np.sqrt, grads={0: [inf, 0.25]}, cot=1, value=0.5)
case("power_edge", "power", E[:, None], E, ref=np.power)
case("power_f32", "power", f32([0.5, 1.5, 2, -3]), f32([2, -1.5, 0.5, 3]), ref=np.power)
case("power_i64", "power", i64([2, 3, -2, 0, 7]), i64([10, 0, 3, 0, 1]), ref=np.power)
for op, ref, jx in (("maximum", np.maximum, jnp.maximum), ("minimum", np.minimum, jnp.minimum)):
    case(op, op, A, B, ref=ref, jx=jx)
    case(op + "_ties", op, f64([1, 2, 3]), f64([1, 3, 3]), ref=ref, jx=jx)
    case(op + "_row_ties", op, f64([[1, 2], [3, 2]]), f64([1, 2]), ref=ref, jx=jx)
    case(op + "_edge", op, E[1:, None], f64([1, -1, inf, -inf, nan, 2.5]), ref=ref)
    case(op + "_i64", op, i64([1, -5, 9007199254740993]), i64([0, 5, 9007199254740992]), ref=ref)
    case(op + "_f32", op, f32(A), f32(B), ref=ref)
case("atan2", "atan2", A, B, ref=np.arctan2, jx=jnp.arctan2)
case("atan2_axes", "atan2", f64([0, 0, 2, -2]), f64([1, -3, 0, 0]), ref=np.arctan2, jx=jnp.arctan2)
case("atan2_edge", "atan2", E[:, None], E, ref=np.arctan2, signed=True)
case("atan2_f32", "atan2", f32(A), f32(B), ref=np.arctan2)
case("clip", "clip", f64([0.1, -0.2, 0.3, 5, -7]), ref=lambda x: np.clip(x, -1, 1), jx=lambda x: jnp.clip(x, -1, 1), lo=-1.0, hi=1.0)
case("clip_edge", "clip", f64([nan, inf, -inf, 0.5]), ref=lambda x: np.clip(x, -1, 1), lo=-1.0, hi=1.0)
case("clip_i64", "clip", i64([-5, 0, 5]), ref=lambda x: np.clip(x, -1, 3), lo=-1, hi=3)
C = b8([[1, 0, 1], [0, 0, 1]])
case("where", "where", C, A, B, ref=np.where, jx=jnp.where)
case("where_broadcast", "where", C[:, :1], f64(1.5), B, ref=np.where, jx=jnp.where)
case("where_edge", "where", b8([1, 0, 1, 0]), f64([nan, nan, -0.0, inf]), f64([1, 2, 3, -0.0]), ref=np.where, signed=True)
case("where_i64", "where", b8([1, 0]), i64([9007199254740993, 1]), i64([0, -9007199254740993]), ref=np.where)
F = f64([-2.7, -0.5, 0, 0.5, 2.7, 3])
for to, source, x in (("i64", "f64", F), ("i32", "f64", F), ("f32", "f64", f64([0.1, 1e-3, -7, inf, nan])), ("bool", "f64", f64([0, -0.0, 0.5, nan, -1])),
                      ("u8", "f64", f64([0, 1.9, 255])), ("f64", "f32", f32([0.1, -7, inf])), ("f64", "i64", i64([-3, 9007199254740993])), ("f64", "bool", b8([1, 0])),
                      ("f64", "u8", u8([0, 255])), ("f32", "i64", i64([16777217, -3])), ("i64", "i32", i32([-3, 2147483647])), ("i64", "bool", b8([1, 0])),
                      ("i32", "i64", i64([-3, 2147483647])), ("u8", "i64", i64([0, 255])), ("bool", "i64", i64([0, 2, -1])), ("i64", "f32", f32(F)), ("f64", "i32", i32([-3, 4]))):
    case("cast_%s_to_%s" % (source, to), "cast_" + to, x, ref=lambda x: x.astype({v: k for k, v in SHORT.items()}[to]))
case("cast_round_trip", "cast_round_trip", f64([0.5, -3, 0.25]), ref=np.array, grads={0: [1, 1, 1]}, cot=1)

# ---------------------------------------------------------------------------------------------------- compare
begin("compare")
for op, sign, ref in (("less", "<", np.less), ("less_equal", "<=", np.less_equal), ("greater", ">", np.greater), ("greater_equal", ">=", np.greater_equal),
                      ("equal", "==", np.equal), ("not_equal", "!=", np.not_equal)):
    case(op + "_edge", op, E[:, None], E, ref=ref)
    case(op + "_operator", sign, E[:, None], E, ref=ref)
    case(op + "_f32", op, f32([1, 2, nan]), f32([2, 2, nan]), ref=ref)
    case(op + "_i64", sign, i64([9007199254740993, 1, -1]), i64([9007199254740992, 1, 2]), ref=ref)
    case(op + "_i32", op, i32([[1], [-1]]), i32([0, 1]), ref=ref)
    case(op + "_bool", op, b8([0, 0, 1, 1]), b8([0, 1, 0, 1]), ref=ref)
    case(op + "_empty", sign, np.zeros((0, 2)), np.zeros(2), ref=ref)
T, U = b8([[0, 0], [1, 1]]), b8([0, 1])
for op, sign, ref in (("logical_and", "&&", np.logical_and), ("logical_or", "||", np.logical_or)):
    case(op, op, T, U, ref=ref)
    case(op + "_operator", sign, T, U, ref=ref)
case("logical_xor", "logical_xor", T, U, ref=np.logical_xor)
case("logical_not", "logical_not", U, ref=np.logical_not)
case("logical_not_operator", "!", U, ref=np.logical_not)
for op, sign, ref in (("bitwise_and", "&", np.bitwise_and), ("bitwise_or", "|", np.bitwise_or), ("bitwise_xor", "^", np.bitwise_xor)):
    case(op, op, i64([12, -1, 9007199254740993]), i64([10, 5, 3]), ref=ref)
    case(op + "_i32", sign, i32([[12], [-7]]), i32([10, 5]), ref=ref)
    case(op + "_u8", sign, u8([12, 255]), u8([10, 5]), ref=ref)
    case(op + "_bool", sign, T, U, ref=ref)
case("left_shift", "left_shift", i64([1, 5, 3]), i64([40, 0, 2]), ref=np.left_shift)
case("right_shift", "right_shift", i64([1 << 40, -8, 5]), i64([38, 1, 3]), ref=np.right_shift)
case("bitwise_not", "bitwise_not", i64([0, -1, 5]), ref=np.invert)
case("bitwise_not_i32", "~", i32([0, -1, 5]), ref=np.invert)
case("bitwise_not_u8", "~", u8([0, 255, 5]), ref=np.invert)
case("bitwise_not_bool", "~", U, ref=np.invert)
for op, ref in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)):
    case(op, op, E, ref=ref)
    case(op + "_f32", op, f32(E), ref=ref)

# ---------------------------------------------------------------------------------------------------- reduce
begin("reduce")
X = ramp(2, 3, 4)
FORMS = [("all", {}), ("axis0", {"axis": 0}), ("last", {"axis": -1}), ("axes", {"axes": [0, 2]}), ("negative_axes", {"axes": [-1, -3]}), ("all_axes", {"axes": [0, 1, 2]}),
         ("no_axes", {"axes": []}), ("keep", {"keepdims": True}), ("keep_axis", {"axis": 1, "keepdims": True}), ("keep_axes", {"axes": [1, 2], "keepdims": True})]


def over(fn, form):
    axis = form["axis"] if "axis" in form else tuple(form["axes"]) if "axes" in form else None
    return lambda x: fn(x, axis=axis, keepdims="keepdims" in form)


def np_norm(x, axis=None, keepdims=False): return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))
def jx_norm(x, axis=None, keepdims=False): return jnp.sqrt(jnp.sum(jnp.square(x), axis=axis, keepdims=keepdims))


def logsumexp(x, axis=None, keepdims=False):
    m = np.max(x, axis=axis, keepdims=True)
    m = np.where(np.isfinite(m), m, 0)
    s = np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True)) + m
    return s if keepdims else np.squeeze(s, axis=axis)


REDUCE = [("sum", np.sum, jnp.sum), ("prod", np.prod, jnp.prod), ("max", np.max, jnp.max), ("min", np.min, jnp.min), ("logsumexp", logsumexp, jax.nn.logsumexp),
          ("mean", np.mean, jnp.mean), ("variance", np.var, jnp.var)]
FEW = [FORMS[k] for k in (0, 1, 3, 6, 9)]
for op, ref, jx in REDUCE:
    for name, form in FORMS if op in ("sum", "max", "mean") else FEW: case(op + "_" + name, op, X, ref=over(ref, form), jx=over(jx, form), **form)
    case(op + "_scalar", op, f64(1.5), ref=ref, jx=jx)
    case(op + "_f32", op, f32(X), ref=over(ref, {"axis": 1}), axis=1)
for name, form in FEW:
    if name != "no_axes": case("norm_" + name, "norm", X, ref=over(np_norm, form), jx=over(jx_norm, form), **form)
case("norm_f32", "norm", f32(X), ref=over(np_norm, {"axis": 1}), axis=1)
for name, form in FORMS[:4] + FORMS[7:]:
    case("any_" + name, "any", X > 1.8, ref=over(np.any, form), **form)
    case("all_" + name, "all", X > -1.8, ref=over(np.all, form), **form)
for op, ref in (("argmax", np.argmax), ("argmin", np.argmin)):
    for name, form in FORMS[:3] + FORMS[7:9]: case(op + "_" + name, op, X, ref=over(ref, form), **form)
    case(op + "_ties", op, f64([[2, 1, 2, 1], [0, 0, 0, 0], [-1, 3, 3, -1]]), ref=over(ref, {"axis": 1}), axis=1)
    case(op + "_nan", op, f64([[3, nan, 1, 5], [0, 1, 2, nan], [nan, 5, nan, 0], [nan, nan, nan, nan]]), ref=over(ref, {"axis": 1}), axis=1)
    case(op + "_inf", op, f64([[-inf, -inf, -inf], [inf, 1, inf], [0, -inf, inf]]), ref=over(ref, {"axis": 1}), axis=1)
    case(op + "_i64", op, i64([9007199254740993, 9007199254740992, 9007199254740993]), ref=ref)
    case(op + "_f32", op, f32(X), ref=over(ref, {"axis": 2}), axis=2)
    case(op + "_empty_rows", op, np.zeros((0, 2)), ref=over(ref, {"axis": 1}), axis=1)
# ties, NaN, infinities
case("max_ties", "max", f64([2, 2, 1]), ref=np.max, grads={0: [0.5, 0.5, 0]}, cot=1)
case("max_ties_axis", "max", f64([[2, 2, 1], [3, 3, 3]]), ref=over(np.max, {"axis": 1}), jx=over(jnp.max, {"axis": 1}), axis=1)
case("min_ties", "min", f64([[1, 2], [1, 1]]), ref=np.min, jx=jnp.min)
for op, ref in (("max", np.max), ("min", np.min), ("sum", np.sum), ("prod", np.prod)):
    case(op + "_edge", op, f64([[3, nan, 1, 5], [inf, 1, -inf, 2], [inf, inf, 1, 2], [-inf, -inf, -inf, -inf]]), ref=over(ref, {"axis": 1}), axis=1)
case("max_i64", "max", i64([[1, 9007199254740993], [-5, -6]]), ref=over(np.max, {"axis": 1}), axis=1)
case("min_i32", "min", i32([[1, -2147483648], [5, 6]]), ref=np.min)
case("prod_zeros", "prod", f64([[2, 0, 3, 4], [0, 5, 0, 1], [1, 2, 3, 4]]), ref=over(np.prod, {"axis": 1}), grads={0: [[0, 24, 0, 0], [0, 0, 0, 0], [24, 12, 8, 6]]}, cot=1, axis=1)
case("prod_one_zero", "prod", f64([0]), ref=np.prod, grads={0: [1]}, cot=1)
case("logsumexp_large", "logsumexp", f64([1000, 1000]), out=f64(1000.6931471805599), grads={0: [0.5, 0.5]}, cot=1)
case("logsumexp_minus_inf", "logsumexp", f64([-inf, -inf, 2]), out=f64(2), grads={0: [0, 0, 1]}, cot=1)
case("logsumexp_edge", "logsumexp", f64([[-inf, -inf], [inf, -inf], [inf, inf], [nan, 1]]), out=f64([-inf, inf, inf, nan]), axis=1)
case("norm_zero", "norm", f64([0, 0]), out=f64(0), grads={0: [0, 0]}, cot=1)
case("norm_rows", "norm", f64([[3, 4], [0, 0]]), out=f64([5, 0]), grads={0: [[0.6, 0.8], [0, 0]]}, cot=1, axis=1)
case("norm_range", "norm", f64([[1e-200, 0], [3e200, 4e200]]), out=f64([1e-200, 5e200]), axis=1, tol=(1e-12, 0))
# zero sizes
for op, ref in (("sum", np.sum), ("prod", np.prod)):
    case(op + "_empty", op, np.zeros((0,)), ref=ref, grads={0: np.zeros((0,))})
    case(op + "_empty_axis", op, np.zeros((0, 3)), ref=over(ref, {"axis": 0}), axis=0)
    case(op + "_empty_kept", op, np.zeros((2, 0)), ref=over(ref, {"axis": 0}), axis=0)
for op, ref in (("max", np.max), ("min", np.min)): case(op + "_empty_kept", op, np.zeros((0, 2)), ref=over(ref, {"axis": 1}), axis=1)
case("mean_empty", "mean", np.zeros((0,)), out=f64(nan))
case("any_empty", "any", np.zeros((0,), bool), ref=np.any)
case("all_empty", "all", np.zeros((2, 0), bool), ref=over(np.all, {"axis": 1}), axis=1)
case("logsumexp_empty", "logsumexp", np.zeros((2, 0)), out=f64([-inf, -inf]), axis=1)
case("norm_empty", "norm", np.zeros((0,)), out=f64(0))
# dtypes: sums of bool and integers are int64, their means double
case("sum_bool", "sum", b8([[1, 1, 0], [1, 0, 1]]), ref=np.sum)
case("sum_i32", "sum", i32([2147483647, 2147483647]), ref=np.sum)
case("sum_i64", "sum", i64([[9007199254740993, 1], [2, 3]]), ref=over(np.sum, {"axis": 0}), axis=0)
case("sum_u8", "sum", u8([[200, 100], [255, 1]]), out=i64([300, 256]), axis=1)
case("prod_i32", "prod", i32([100000, 100000]), ref=np.prod)
case("prod_i64", "prod", i64([3, -5, 7]), ref=np.prod)
case("mean_i32", "mean", i32([2147483647, 2147483647]), out=f64(2147483647))
case("mean_i64", "mean", i64([[1, 2], [3, 5]]), ref=over(np.mean, {"axis": 1}), axis=1)
case("mean_bool", "mean", b8([1, 0, 0, 0]), ref=np.mean)
case("variance_i64", "variance", i64([1, 2, 3, 4]), ref=np.var)
case("variance_shifted", "variance", f64([1e8 + 1, 1e8 + 2, 1e8 + 3]), out=f64(2 / 3))
for axis in (0, 1, -1): case("cumsum_axis%d" % axis, "cumsum", X, ref=lambda x: np.cumsum(x, axis), jx=lambda x: jnp.cumsum(x, axis), axis=axis)
case("cumsum_f32", "cumsum", f32(ramp(5)), ref=lambda x: np.cumsum(x, 0), axis=0)
case("cumsum_i32", "cumsum", i32([[1, 2], [2147483647, 3]]), ref=lambda x: np.cumsum(x, 0), axis=0)
case("cumsum_bool", "cumsum", b8([1, 1, 0, 1]), ref=lambda x: np.cumsum(x, 0), axis=0)
case("cumsum_edge", "cumsum", f64([1, inf, 2, -inf, 3]), ref=lambda x: np.cumsum(x, 0), axis=0)
case("cumsum_empty", "cumsum", np.zeros((2, 0)), ref=lambda x: np.cumsum(x, 1), jx=lambda x: jnp.cumsum(x, 1), axis=1)

# ---------------------------------------------------------------------------------------------------- layout
begin("layout")
M = ramp(2, 3)


def both(name, op, *ins, fn, **kw): case(name, op, *ins, ref=lambda *x: fn(np, *x), jx=lambda *x: fn(jnp, *x), **kw)


for name, x, shape in (("flat", M, [6]), ("matrix", M, [3, 2]), ("rank3", X, [4, 1, 6]), ("scalar", f64([2.5]), []), ("from_scalar", f64(2.5), [1, 1]), ("empty", np.zeros((0, 3)), [3, 0, 2])):
    both("reshape_" + name, "reshape", x, fn=lambda n, x: n.reshape(x, shape), shape=shape)
both("reshape_i64", "reshape", i64([[1, 2], [3, 4]]), fn=lambda n, x: n.reshape(x, [4]), shape=[4])
for name, perm in (("021", [0, 2, 1]), ("201", [2, 0, 1]), ("210", [2, 1, 0]), ("012", [0, 1, 2])):
    both("permute_" + name, "permute", X, fn=lambda n, x: n.transpose(x, perm), perm=perm)
both("permute_bool", "permute", X > 0, fn=lambda n, x: n.transpose(x, [1, 2, 0]), perm=[1, 2, 0])
for name, x in (("vector", M[0]), ("matrix", M), ("rank3", X)): both("transpose_" + name, "transpose", x, fn=lambda n, x: n.transpose(x))
both("transpose_axes", "transpose", X, fn=lambda n, x: n.transpose(x, [1, 2, 0]), perm=[1, 2, 0])
for a, b in ((0, 2), (2, 0), (-1, 1), (0, -1)): both("moveaxis_%d_%d" % (a, b), "moveaxis", X, fn=lambda n, x: n.moveaxis(x, a, b), source=a, destination=b)
for axis in (0, 1, 2, -1, -3): both("expand_dims_%d" % axis, "expand_dims", M, fn=lambda n, x: n.expand_dims(x, axis), axis=axis)
S = ramp(1, 3, 1)
both("squeeze_all", "squeeze", S, fn=lambda n, x: n.squeeze(x))
for axis in (0, 2, -1): both("squeeze_%d" % axis, "squeeze", S, fn=lambda n, x: n.squeeze(x, axis), axis=axis)
for name, x, shape in (("rows", M[0], [2, 3]), ("columns", M[:, :1], [2, 4]), ("rank", M, [2, 2, 3]), ("scalar", f64(1.5), [2, 2]), ("middle", S, [2, 3, 2]), ("empty", M[:1], [0, 3]), ("same", M, [2, 3])):
    both("broadcast_to_" + name, "broadcast_to", x, fn=lambda n, x: n.broadcast_to(x, shape), shape=shape)
both("flip_all", "flip", M, fn=lambda n, x: n.flip(x))
for axis in (0, 1, -1): both("flip_%d" % axis, "flip", X, fn=lambda n, x: n.flip(x, axis), axis=axis)
both("flip_axes", "flip", X, fn=lambda n, x: n.flip(x, (0, 2)), axes=[0, 2])
for name, x, pads, v in (("vector", M[0], [(1, 2)], 0.5), ("matrix", M, [(1, 0), (2, 1)], -1.5), ("none", M, [(0, 0), (0, 0)], 9.0), ("empty", np.zeros((0, 2)), [(1, 1), (0, 1)], 3.0)):
    both("pad_" + name, "pad", x, fn=lambda n, x: n.pad(x, pads, constant_values=v), pads=[p for q in pads for p in q], value=v)
both("pad_i64", "pad", i64([1, 2]), fn=lambda n, x: n.pad(x, [(1, 1)], constant_values=-7), pads=[1, 1], value=-7.0)
for name, axis in (("0", 0), ("1", 1), ("last", -1)):
    both("concatenate_" + name, "concatenate", M, ramp(2, 3, k=2), fn=lambda n, *x: n.concatenate(x, axis), axis=axis)
    both("stack_" + name, "stack", M, ramp(2, 3, k=2), fn=lambda n, *x: n.stack(x, axis), axis=axis)
both("concatenate_three", "concatenate", ramp(2, 1), M, ramp(2, 2, k=3), fn=lambda n, *x: n.concatenate(x, 1), axis=1)
both("concatenate_empty", "concatenate", M, np.zeros((0, 3)), fn=lambda n, *x: n.concatenate(x, 0), axis=0)
both("concatenate_i64", "concatenate", i64([1, 2]), i64([3]), fn=lambda n, *x: n.concatenate(x, 0), axis=0)
both("stack_scalars", "stack", f64(1.5), f64(2), f64(-3), fn=lambda n, *x: n.stack(x, 0), axis=0)
both("stack_bool", "stack", b8([1, 0]), b8([0, 0]), fn=lambda n, *x: n.stack(x, 1), axis=1)
for shift, axis in ((1, 0), (-1, 1), (2, 1), (7, -1), (-4, 2), (0, 0)): both("roll_%d_%d" % (shift, axis), "roll", X, fn=lambda n, x: n.roll(x, shift, axis), shift=shift, axis=axis)
for k in (0, 1, -1):
    for op in ("tril", "triu"): both("%s_%d" % (op, k), op, ramp(2, 3, 3), fn=lambda n, x: getattr(n, op)(x, k), k=k)
both("tril_wide", "tril", M, fn=lambda n, x: n.tril(x), k=0)
both("triu_wide", "triu", M, fn=lambda n, x: n.triu(x), k=0)
for name, x in (("square", ramp(3, 3)), ("wide", M), ("tall", M.T)): both("diagonal_" + name, "diagonal", x, fn=lambda n, x: n.diagonal(x))
# sources
for n in (0, 1, 4):
    case("arange_%d" % n, "arange_f64", out=np.arange(float(n)), n=n)
    case("iota_%d" % n, "iota_i64", out=np.arange(n), n=n)
    case("eye_%d" % n, "eye_f64", out=np.eye(n), n=n)
case("arange_i64", "arange_i64", out=np.arange(5), n=5)
case("linspace", "linspace_f64", out=np.linspace(-1, 2, 7), start=-1.0, stop=2.0, n=7)
case("linspace_one", "linspace_f64", out=np.linspace(3, 4, 1), start=3.0, stop=4.0, n=1)
for shape in ([2, 3], [], [0, 2]):
    tag = "x".join(map(str, shape)) or "scalar"
    case("zeros_" + tag, "zeros_f64", out=np.zeros(shape), shape=shape)
    case("ones_" + tag, "ones_f32", out=np.ones(shape, np.float32), shape=shape)
    case("full_" + tag, "full_i64", out=np.full(shape, 9007199254740993), shape=shape, value=9007199254740993)
case("full_f64", "full_f64", out=np.full([2], nan), shape=[2], value=nan)
for op, ref in (("zeros_like", np.zeros_like), ("ones_like", np.ones_like)):
    case(op, op, M, ref=ref, grads={0: np.zeros((2, 3))})
    case(op + "_i64", op, i64([[1], [2]]), ref=ref)
case("full_like", "full_like", M, ref=lambda x: np.full_like(x, 2.5), value=2.5)

# ---------------------------------------------------------------------------------------------------- index
begin("index")
V = ramp(6)
for i in (0, 2, -1, -6): both("index_vector_%d" % i, "index_scalar", V, fn=lambda n, x: x[i], i=i)
for i in (0, 1, -1): both("index_matrix_%d" % i, "index_scalar", M, fn=lambda n, x: x[i], i=i)
both("index_i64", "index_scalar", i64([[1, 2], [3, 4]]), fn=lambda n, x: x[1], i=1)
for a, b, s in ((0, 6, 1), (1, 5, 2), (0, 6, 4), (-4, -1, 1), (2, 100, 1), (4, 2, 1), (5, 0, -2), (5, 1, -1), (-1, -6, -1), (3, 3, 1)):
    both("slice_%d_%d_%d" % (a, b, s), "index_slice", V, fn=lambda n, x: x[a:b:s], start=a, stop=b, step=s)
for name, a, b, s in (("reversed", None, None, -1), ("from", 2, None, 1), ("until", None, -2, 1), ("until_backwards", None, 2, -2), ("from_backwards", -2, None, -3)):
    both("slice_open_" + name, "index_slice", V, fn=lambda n, x: x[a:b:s], start="none" if a is None else a, stop="none" if b is None else b, step=s)
both("slice_rows", "index_slice", ramp(4, 2), fn=lambda n, x: x[1:4:2], start=1, stop=4, step=2)
both("index_multi", "index_multi", ramp(2, 4, 6), fn=lambda n, x: x[:, None, 2, 1:6:2], i=2, start=1, stop=6, step=2)
both("index_multi_negative", "index_multi", ramp(2, 4, 3), fn=lambda n, x: x[:, None, -1, 2:0:-1], i=-1, start=2, stop=0, step=-1)
for name, idx in (("plain", [2, 0, 0]), ("negative", [-1, 1, -3]), ("matrix", [[0, 2], [1, 1]]), ("empty", np.zeros(0))):
    both("index_array_" + name, "index_array", ramp(3, 2), i64(idx), fn=lambda n, x, i: x[i])
for axis in (0, 1, -1):
    both("take_axis%d" % axis, "take", X, i64([1, 0, 1]), fn=lambda n, x, i: n.take(x, i, axis), axis=axis)
    both("take_axis%d_negative" % axis, "take", X, i64([-1, -2]), fn=lambda n, x, i: n.take(x, i, axis), axis=axis)
for op in ("take", "gather"):
    both(op + "_matrix", op, X, i64([[0, -1], [2, 1]]), fn=lambda n, x, i: n.take(x, i, 1), axis=1)
    both(op + "_empty", op, X, i64(np.zeros(0)), fn=lambda n, x, i: n.take(x, i, 1), axis=1)
both("take_bool", "take", b8([1, 0, 1]), i64([2, 1]), fn=lambda n, x, i: n.take(x, i, 0), axis=0)
both("take_f32", "take", f32(M), i64([1]), fn=lambda n, x, i: n.take(x, i, 0), axis=0)
both("take_scalar", "take", X, i64(2), fn=lambda n, x, i: n.take(x, i, 1), axis=1)
both("take_scalar_negative", "take", V, i64(-2), fn=lambda n, x, i: n.take(x, i, 0), axis=0)


def np_scatter(x, i, u, axis=0):
    r = np.moveaxis(x.copy(), axis, 0)
    np.add.at(r, i, np.moveaxis(u, axis, 0))
    return np.moveaxis(r, 0, axis)


def jx_scatter(x, i, u, axis=0): return jnp.moveaxis(jnp.moveaxis(x, axis, 0).at[i].add(jnp.moveaxis(u, axis, 0)), 0, axis)


for name, x, i, u, axis in (("vector", np.zeros(4), [0, 1], f64([10, 20]), 0), ("repeated", ramp(4), [3, 3, 0], f64([10, 20, 30]), 0), ("negative", ramp(4), [-1, -4], f64([10, 20]), 0),
                            ("rows", ramp(3, 2), [2, 0, 2], ramp(3, 2, k=2), 0), ("columns", ramp(2, 3), [1, 1], ramp(2, 2, k=2), 1), ("empty", ramp(3), [], np.zeros(0), 0)):
    case("scatter_add_" + name, "scatter_add", x, i64(i), u, ref=lambda x, i, u: np_scatter(x, i, u, axis), jx=lambda x, i, u: jx_scatter(x, i, u, axis), axis=axis)
case("scatter_add_i64", "scatter_add", i64([1, 2, 3]), i64([0, 0]), i64([5, 9007199254740992]), ref=np_scatter, axis=0)
W = ramp(3, 4)
for name, start, size in (("inside", [1, 1], [2, 2]), ("whole", [0, 0], [3, 4]), ("clamped", [2, 9], [2, 3]), ("nothing", [1, 0], [0, 2])):
    case("dynamic_slice_" + name, "dynamic_slice", W, i64(start[0]), i64(start[1]), jx=lambda x, i, j: jax.lax.dynamic_slice(x, (i, j), size), size=size)
for i in (0, 3, 9): case("dynamic_slice_vector_%d" % i, "dynamic_slice", V, i64(i), jx=lambda x, i: jax.lax.dynamic_slice(x, (i,), (2,)), size=[2])
for name, start, shape in (("inside", [1, 2], (2, 2)), ("whole", [0, 0], (3, 4)), ("clamped", [2, 9], (2, 3))):
    case("dynamic_update_slice_" + name, "dynamic_update_slice", W, ramp(*shape, k=2), i64(start[0]), i64(start[1]), jx=lambda x, u, i, j: jax.lax.dynamic_update_slice(x, u, (i, j)))
case("dynamic_update_slice_vector", "dynamic_update_slice", V, f64([9, 8]), i64(3), jx=lambda x, u, i: jax.lax.dynamic_update_slice(x, u, (i,)))
case("dynamic_update_slice_i64", "dynamic_update_slice", i64([1, 2, 3]), i64([9]), i64(1), jx=lambda x, u, i: jax.lax.dynamic_update_slice(x, u, (i,)))
case("one_hot", "one_hot", i64([2, 0, 1, 2]), ref=lambda i: np.eye(3)[i], n=3)
case("one_hot_scalar", "one_hot", i64(1), ref=lambda i: np.eye(4)[i], n=4)
case("one_hot_outside", "one_hot", i64([[-1, 3], [0, 7]]), out=np.asarray(jax.nn.one_hot(i64([[-1, 3], [0, 7]]), 3, dtype=np.float64)), n=3)

# ---------------------------------------------------------------------------------------------------- contract
begin("contract")
for name, a, b in (("vectors", (3,), (3,)), ("matrix_vector", (2, 3), (3,)), ("vector_matrix", (3,), (3, 2)), ("matrices", (2, 3), (3, 4)), ("batch", (2, 2, 3), (2, 3, 2)), ("batch_matrix", (2, 2, 3), (3, 2)),
                   ("matrix_batch", (2, 3), (2, 3, 2)), ("broadcast", (2, 1, 2, 3), (3, 3, 1)), ("ones", (1, 2, 3), (2, 3, 2)), ("vector_batch", (3,), (2, 3, 2)), ("batch_vector", (2, 2, 3), (3,)),
                   ("inner_zero", (2, 0), (0, 3)), ("rows_zero", (0, 3), (3, 2)), ("batch_zero", (0, 2, 3), (3, 2)), ("inner_one", (2, 1), (1, 3))):
    both("matmul_" + name, "matmul", ramp(*a), ramp(*b, k=2), fn=lambda n, a, b: n.matmul(a, b))
both("matmul_f32", "matmul", f32(ramp(2, 3)), f32(ramp(3, 2, k=2)), fn=lambda n, a, b: n.matmul(a, b))
both("matmul_i64", "matmul", i64([[1, 2], [3, 4]]), i64([[5, 6], [9007199254740990, 1]]), fn=lambda n, a, b: n.matmul(a, b))
both("matmul_i32", "matmul", i32([[1, -2]]), i32([3, 4]), fn=lambda n, a, b: n.matmul(a, b))
both("matmul_edge", "matmul", f64([[0, 1], [inf, 1]]), f64([[inf, 1], [1, nan]]), fn=lambda n, a, b: n.matmul(a, b), wrt=[])
for name, a, b in (("vectors", (4,), (4,)), ("matrices", (2, 3), (3, 2)), ("matrix_vector", (2, 3), (3,)), ("rank3", (2, 2, 3), (2, 3, 2)), ("scalar", (), (2, 3)), ("vector_rank3", (3,), (2, 3, 2))):
    both("dot_" + name, "dot", ramp(*a), ramp(*b, k=2), fn=lambda n, a, b: n.dot(a, b))
both("outer", "outer", ramp(2), ramp(3, k=2), fn=lambda n, a, b: n.outer(a, b))
both("outer_flattens", "outer", ramp(2, 2), ramp(2, k=2), fn=lambda n, a, b: n.outer(a, b))
both("outer_f32", "outer", f32(ramp(2)), f32(ramp(2)), fn=lambda n, a, b: n.outer(a, b))
for k, a, b in ((0, (2,), (3,)), (1, (2, 3), (3, 2)), (2, (2, 3, 2), (3, 2, 2))): both("tensordot_%d" % k, "tensordot", ramp(*a), ramp(*b, k=2), fn=lambda n, a, b: n.tensordot(a, b, k), n=k)
both("tensordot_axes", "tensordot", ramp(2, 3, 4), ramp(4, 2, 2, k=2), fn=lambda n, a, b: n.tensordot(a, b, ([0, 2], [1, 0])), a=[0, 2], b=[1, 0])
both("tensordot_negative_axes", "tensordot", ramp(2, 3), ramp(2, 3, k=2), fn=lambda n, a, b: n.tensordot(a, b, ([-1], [-1])), a=[-1], b=[-1])
for name, spec, shapes in (("product", "ij,jk->ik", [(2, 3), (3, 2)]), ("implicit", "ij,jk", [(2, 3), (3, 2)]), ("implicit_order", "ba,ac", [(2, 3), (3, 2)]), ("turned", "ij,jk->ki", [(2, 3), (3, 2)]),
                           ("batch", "bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]), ("sum", "ij->", [(2, 3)]), ("rows", "ij->i", [(2, 3)]), ("transpose", "ij->ji", [(2, 3)]), ("trace", "ii->", [(3, 3)]), ("diagonal", "ii->i", [(3, 3)]),
                           ("inner", "i,i->", [(4,), (4,)]), ("outer", "i,j->ij", [(2,), (3,)]), ("hadamard", "ij,ij->ij", [(2, 3), (2, 3)]), ("three", "ij,jk,kl->il", [(2, 3), (3, 2), (2, 2)]),
                           ("bilinear", "i,ij,j->", [(2,), (2, 3), (3,)]), ("summed_out", "ij,jk->i", [(2, 3), (3, 2)]), ("ellipsis", "...ij,jk->...ik", [(2, 2, 3), (3, 2)]), ("batch_norms", "bi,bi->b", [(2, 3), (2, 3)]),
                           ("rank4", "abcd,cd->ab", [(2, 2, 2, 2), (2, 2)]), ("empty", "ij,jk->ik", [(2, 0), (0, 2)])):
    both("einsum_" + name, "einsum", *[ramp(*s, k=i + 1) for i, s in enumerate(shapes)], fn=lambda n, *x: n.einsum(spec, *x), subscripts=spec)

# ---------------------------------------------------------------------------------------------------- conv
begin("conv")


def conv(x, k, stride, padding, dilation, groups):
    d = k.ndim - 2
    return jax.lax.conv_general_dilated(x, k, stride or (1,) * d, padding or [(0, 0)] * d, rhs_dilation=dilation or (1,) * d, feature_group_count=groups,
                                        dimension_numbers=("NCW", "OIW", "NCW") if d == 1 else ("NCHW", "OIHW", "NCHW"))


def conv_case(name, xs, ks, stride=None, padding=None, dilation=None, groups=1, make=f64, **kw):
    attrs = {}
    if stride: attrs["stride"] = stride
    if padding: attrs.update(padding=[p[0] for p in padding] if all(a == b for a, b in padding) else None, pads=[p for q in padding for p in q])
    if attrs.get("padding", 0) is None: del attrs["padding"]
    elif padding: del attrs["pads"]
    if dilation: attrs["dilation"] = dilation
    if groups != 1: attrs["groups"] = groups
    case("conv_" + name, "conv", make(ramp(*xs)), make(ramp(*ks, k=2)), jx=lambda x, k: conv(x, k, stride, padding, dilation, groups), **attrs, **kw)


conv_case("1d", (2, 2, 5), (3, 2, 3))
conv_case("1d_stride", (1, 2, 7), (2, 2, 3), stride=[2])
conv_case("1d_padding", (1, 1, 4), (2, 1, 3), padding=[(1, 1)])
conv_case("1d_uneven_padding", (1, 1, 4), (1, 1, 3), padding=[(2, 0)])
conv_case("1d_dilation", (1, 2, 7), (1, 2, 3), dilation=[2])
conv_case("1d_groups", (1, 4, 4), (4, 2, 2), groups=2)
conv_case("1d_depthwise", (2, 3, 4), (3, 1, 2), groups=3)
conv_case("1d_all", (2, 2, 8), (4, 1, 3), stride=[2], padding=[(2, 2)], dilation=[2], groups=2)
conv_case("1d_f32", (1, 2, 5), (2, 2, 3), make=f32)
conv_case("2d", (2, 2, 4, 4), (2, 2, 3, 3))
conv_case("2d_oblong", (1, 2, 3, 5), (2, 2, 2, 3))
conv_case("2d_stride", (1, 1, 5, 6), (2, 1, 2, 2), stride=[2, 3])
conv_case("2d_stride_remainder", (1, 1, 6, 6), (1, 1, 3, 3), stride=[2, 2])
conv_case("2d_padding", (1, 1, 3, 4), (1, 1, 3, 3), padding=[(1, 1), (2, 2)])
conv_case("2d_uneven_padding", (1, 1, 3, 3), (1, 1, 2, 2), padding=[(0, 1), (1, 0)])
conv_case("2d_dilation", (1, 1, 5, 6), (1, 1, 2, 2), dilation=[2, 3])
conv_case("2d_groups", (1, 4, 3, 3), (2, 2, 2, 2), groups=2)
conv_case("2d_all", (2, 2, 5, 6), (4, 1, 2, 3), stride=[2, 1], padding=[(1, 1), (0, 0)], dilation=[1, 2], groups=2)
conv_case("2d_pointwise", (2, 3, 2, 2), (2, 3, 1, 1))
conv_case("2d_whole", (2, 1, 3, 3), (2, 1, 3, 3))
conv_case("2d_no_examples", (0, 2, 3, 3), (1, 2, 2, 2))
conv_case("2d_f32", (1, 2, 4, 4), (2, 2, 3, 3), make=f32)
image = np.arange(18.0).reshape(3, 3, 2).transpose(2, 0, 1)[None]
kernel = np.arange(8.0).reshape(2, 2, 2, 1).transpose(3, 2, 0, 1)
case("conv_channels", "conv", image, kernel, jx=lambda x, k: conv(x, k, None, None, None, 1), out=f64([[[[184, 240], [352, 408]]]]), cot=1)


def windows(x, w, s):
    """The windows of the last len(w) axes, as trailing axes."""
    v = np.lib.stride_tricks.sliding_window_view(x, w, tuple(range(x.ndim - len(w), x.ndim)))
    return v[(Ellipsis,) + tuple(slice(None, None, k) for k in s) + (slice(None),) * len(w)]


def jx_pool(x, w, s, init, op):
    pre = (1,) * (x.ndim - len(w))
    return jax.lax.reduce_window(x, init, op, pre + tuple(w), pre + tuple(s), "VALID")


for name, xs, w, s in (("1d", (2, 2, 6), [2], [2]), ("1d_overlap", (1, 2, 6), [3], [2]), ("1d_step1", (1, 1, 5), [3], [1]), ("1d_gap", (1, 1, 7), [2], [3]), ("2d", (2, 2, 4, 4), [2, 2], [2, 2]),
                       ("2d_oblong", (1, 2, 5, 6), [2, 3], [1, 2]), ("2d_remainder", (1, 1, 5, 5), [2, 2], [2, 2]), ("2d_whole", (1, 2, 3, 3), [3, 3], [1, 1])):
    axes = tuple(range(-len(w), 0))
    x = np.round(np.sin(np.arange(1.0, np.prod(xs) + 1) * 1.3), 3).reshape(xs)
    flat = windows(x, w, s).reshape(-1, int(np.prod(w)))
    assert all(len(set(row)) == row.size for row in flat)       # the gradient of ties inside a window is left open
    case("max_pool_" + name, "max_pool", x, ref=lambda x: windows(x, w, s).max(axes), jx=lambda x: jx_pool(x, w, s, -inf, jax.lax.max), window=w, stride=s)
    case("avg_pool_" + name, "avg_pool", x, ref=lambda x: windows(x, w, s).mean(axes), jx=lambda x: jx_pool(x, w, s, 0.0, jax.lax.add) / np.prod(w), window=w, stride=s)
    if name in ("1d", "2d"):
        case("max_pool_%s_f32" % name, "max_pool", f32(x), ref=lambda x: windows(x, w, s).max(axes), window=w, stride=s)
        case("avg_pool_%s_f32" % name, "avg_pool", f32(x), ref=lambda x: windows(x, w, s).mean(axes), window=w, stride=s)
case("max_pool_negative", "max_pool", -1 - np.abs(ramp(1, 1, 4, 4)), ref=lambda x: windows(x, [2, 2], [2, 2]).max((-1, -2)), window=[2, 2], stride=[2, 2])
case("max_pool_nan", "max_pool", f64([[[1, nan, 3, 2]]]), ref=lambda x: windows(x, [2], [2]).max(-1), window=[2], stride=[2])

# ---------------------------------------------------------------------------------------------------- sort
begin("sort")
Z = ramp(3, 4, k=3)
for axis in (0, 1, -1):
    case("sort_axis%d" % axis, "sort", Z, ref=lambda x: np.sort(x, axis), jx=lambda x: jnp.sort(x, axis), axis=axis)
    case("argsort_axis%d" % axis, "argsort", Z, ref=lambda x: np.argsort(x, axis, kind="stable"), axis=axis)
N = f64([[3, nan, 1, 5], [inf, 1, -inf, nan], [nan, nan, 0, -1]])
case("sort_nan", "sort", N, ref=lambda x: np.sort(x, -1), axis=-1)
case("argsort_nan", "argsort", N, ref=lambda x: np.argsort(x, -1, kind="stable"), axis=-1)
case("argsort_ties", "argsort", f64([2, 1, 2, 1, 1, 3]), ref=lambda x: np.argsort(x, kind="stable"), axis=0)
case("argsort_i64", "argsort", i64([9007199254740993, 9007199254740992, -1, 9007199254740993]), ref=lambda x: np.argsort(x, kind="stable"), axis=0)
case("sort_ties", "sort", f64([2, 1, 2]), ref=np.sort, jx=jnp.sort, axis=0)
case("sort_i64", "sort", i64([9007199254740993, 9007199254740992, -1]), ref=np.sort, axis=0)
case("sort_i32", "sort", i32([[3, 1, 2], [2147483647, 5, -2147483648]]), ref=np.sort, axis=1)
case("sort_f32", "sort", f32(Z), ref=lambda x: np.sort(x, 0), axis=0)
case("argsort_f32", "argsort", f32(Z), ref=lambda x: np.argsort(x, 0, kind="stable"), axis=0)
case("sort_empty", "sort", np.zeros((2, 0)), ref=lambda x: np.sort(x, 1), jx=lambda x: jnp.sort(x, 1), axis=1)
case("sort_one", "sort", f64([[7]]), ref=lambda x: np.sort(x, 1), jx=lambda x: jnp.sort(x, 1), axis=1)


def topk(k):
    def ref(x):
        with_nan_first = np.where(np.isnan(x), inf, x) if x.dtype.kind == "f" else x
        key = np.stack([~np.isnan(x), -with_nan_first], 0) if x.dtype.kind == "f" else np.stack([np.zeros_like(x), -x], 0)
        i = np.lexsort((key[1], key[0]), axis=-1)[..., :k]      # stable: of equal values the first
        return np.take_along_axis(x, i, -1), i.astype(np.int64)
    return ref


def jx_topk(k): return lambda x: tuple(r.astype(np.int64) if r.dtype == np.int32 and x.dtype != np.int32 else r for r in jax.lax.top_k(x, k))


for k in (1, 2, 4): case("topk_%d" % k, "topk", Z, ref=topk(k), jx=jx_topk(k), k=k)
case("topk_ties", "topk", f64([2, 3, 3, 1, 3, 2]), ref=topk(4), jx=jx_topk(4), k=4)
case("topk_rows", "topk", f64([[3, 1, 2], [9, 7, 8]]), ref=topk(2), jx=jx_topk(2), k=2)
case("topk_nan", "topk", N, ref=topk(2), k=2)
case("topk_i64", "topk", i64([1, 9007199254740993, 9007199254740992]), ref=topk(2), k=2)
case("topk_f32", "topk", f32(Z), ref=topk(2), k=2)

# ---------------------------------------------------------------------------------------------------- compose
begin("compose")
for op, ref, jx in (("softmax", sp.softmax, jax.nn.softmax), ("log_softmax", sp.log_softmax, jax.nn.log_softmax)):
    case(op + "_default", op, M, ref=lambda x: ref(x, -1), jx=lambda x: jx(x, -1))
    for axis in (0, 1, -1): case("%s_axis%d" % (op, axis), op, X, ref=lambda x: ref(x, axis), jx=lambda x: jx(x, axis), axis=axis)
    case(op + "_large", op, f64([[-1000, 1000, 0], [1e300, 0, -1e300], [1000, 1000, 1000]]), ref=lambda x: ref(x, -1), jx=lambda x: jx(x, -1))
    case(op + "_f32", op, f32(M), ref=lambda x: ref(x, -1), jx=lambda x: jx(x, -1))
    case(op + "_empty", op, np.zeros((2, 0)), out=np.zeros((2, 0)))
case("softmax_minus_inf", "softmax", f64([-inf, 0, 0]), ref=lambda x: sp.softmax(x, -1))


def cross_entropy(z, label): return -jnp.take_along_axis(jax.nn.log_softmax(z, -1), jnp.asarray(label)[..., None], -1)[..., 0]
def np_cross_entropy(z, label): return -np.take_along_axis(sp.log_softmax(z, -1), np.asarray(label)[..., None], -1)[..., 0]


case("softmax_cross_entropy", "softmax_cross_entropy", ramp(4), i64(2), ref=np_cross_entropy, jx=cross_entropy)
case("softmax_cross_entropy_large", "softmax_cross_entropy", f64([1000, -1000, 0]), i64(1), ref=np_cross_entropy, jx=cross_entropy)
case("softmax_cross_entropy_batch", "softmax_cross_entropy", ramp(3, 4), i64([2, 0, 3]), ref=np_cross_entropy, jx=cross_entropy)
case("softmax_cross_entropy_f32", "softmax_cross_entropy", f32(ramp(4)), i64(0), ref=np_cross_entropy, jx=cross_entropy)


def norm_layer(n, x, *affine):
    y = (x - n.mean(x, -1, keepdims=True)) / n.sqrt(n.var(x, -1, keepdims=True) + 1e-5)
    return y * affine[0] + affine[1] if affine else y


both("layer_norm", "layer_norm", ramp(2, 4), f64([1, 0.5, -1, 2]), f64([0, 1, 0.5, -2]), fn=norm_layer)
both("layer_norm_vector", "layer_norm", ramp(5), np.ones(5), np.zeros(5), fn=norm_layer)
both("layer_norm_plain", "layer_norm_plain", ramp(2, 4), fn=norm_layer)
both("layer_norm_constant", "layer_norm_plain", np.full((1, 4), 3.0), fn=norm_layer)
both("literals", "literals", ramp(3) + 3, fn=lambda n, x: (2 * x + 1) / x - 3 + 0.5 / x - (1 - x))
both("compound_assignment", "compound_assignment", A, B, fn=lambda n, a, b: ((a + b) * b - a) / (b * b + 1))
both("multiply_by_itself", "*self", f64([0, -3, 2]), fn=lambda n, x: x * x)
case("product_with_stopped", "product_with_stopped", f64([2, -3]), ref=lambda x: x * x, jx=lambda x: x * jax.lax.stop_gradient(x))
case("unused_input", "unused_input", f64([1, 2]), f64(-5), f64(5), out=f64(-3125), wrt=[0], grads={0: [0, 0]}, cot=1)
case("x_times_one_minus_power", "x_times_one_minus_power", f64([0, 0.5]), out=f64([0, 0.26674175211579815]), grads={0: [1, 0.020315358886352164]}, cot=1)
case("masked_sqrt", "masked_sqrt", f64([-1, 0, 4]), out=f64([0, 0, 2]), grads={0: [0, 0, 0.25]}, cot=1)
case("masked_infinity", "masked_infinity", f64([1, 2]), out=f64([0, 0]), grads={0: [0, 0]}, cot=1)
case("masked_nan_factor", "masked_nan_factor", f64(2.3), f64(nan), out=f64(1), wrt=[0], grads={0: 0}, cot=1)
for name, p, r, g in (("zero", [0, 0], 1e-10, [0, 0]), ("345", [3, 4], 5, [0.6, 0.8])):
    case("radius_floor_max_" + name, "radius_floor_max", f64(p[0]), f64(p[1]), out=f64(r), grads={0: g[0], 1: g[1]}, cot=1, tol=(1e-12, 0))
    case("radius_floor_where_" + name, "radius_floor_where", f64(p[0]), f64(p[1]), out=f64(r), grads={0: g[0], 1: g[1]}, cot=1, tol=(1e-12, 0))
case("guarded_row_norms", "guarded_row_norms", f64([[1, 2], [3, 4], [0, 0]]), out=f64(np.sqrt(5) + 5 + 1),
     grads={0: [[1 / np.sqrt(5), 2 / np.sqrt(5)], [0.6, 0.8], [0, 0]]}, cot=1)
case("value_at_argmax", "value_at_argmax", f64([2, 2, 1]), out=f64(2), grads={0: [1, 0, 0]}, cot=1)
case("norm_squared_zero", "norm_squared", f64([0, 0]), out=f64(0), grads={0: [0, 0]}, cot=1)
case("norm_squared", "norm_squared", f64([3, 4]), out=f64(25), grads={0: [6, 8]}, cot=1)
case("residual_norm_zero", "residual_norm", f64([1, 2]), f64([1, 2]), out=f64(0), grads={0: [0, 0], 1: [0, 0]}, cot=1)
case("log_sech_squared", "log_sech_squared", f64([0.5, 10, 20]), ref=lambda x: 2 * (np.log(2) - x - softplus(-2 * x)), jx=lambda x: 2 * (np.log(2) - x - jax.nn.softplus(-2 * x)))
case("product_of_nothing", "product_of_nothing", np.ones(6), i64(np.zeros(0)), out=f64(1), grads={0: np.zeros(6)}, cot=1)
both("broadcast_row", "sum_product", A, f64([[5], [6]]), fn=lambda n, a, b: n.sum(a * b))
both("broadcast_scalar", "sum_product", f64([1, 1]), f64(3), fn=lambda n, a, b: n.sum(a * b))
both("gauss_kernel", "gauss_kernel", f64([1, 2, 0]), f64([0, 1]), f64([0, 2, 1]), fn=lambda n, p, x, y: n.sum(n.exp(-p[:, None, None] * n.square(x[:, None] - y)), -1))
both("standardize", "standardize", ramp(3, 4), fn=lambda n, x: (x - n.mean(x, 0, keepdims=True)) / n.sqrt(n.var(x, 0, keepdims=True) + 0.1))
both("attention", "attention", ramp(2, 3), ramp(4, 3, k=2), ramp(4, 2, k=3),
     fn=lambda n, q, k, v: n.matmul((sp.softmax if n is np else jax.nn.softmax)(n.matmul(q, n.transpose(k)) * 0.5, -1), v))
for name, x, y in (("first", [1, 2], 1), ("second", [-1, 0.5], -1)):
    both("mlp_" + name, "mlp", f64([[.1, -.2], [.3, .4]]), f64([0, .1]), f64([.5, -.6]), f64(.2), f64(x), f64(y),
         fn=lambda n, W, b, w, c, x, y: n.square(n.dot(w, n.tanh(n.matmul(W, x) + b)) + c - y), cot=1)
case("convolution_net", "convolution_net", ramp(1, 1, 6, 6), ramp(2, 1, 3, 3, k=2), ramp(8, 3, k=3), i64(1),
     jx=lambda x, k, w, y: cross_entropy(jnp.reshape(jx_pool(jax.nn.relu(conv(x, k, None, None, None, 1)), [2, 2], [2, 2], -inf, jax.lax.max), (8,)) @ w, y), cot=1)

# ----------------------------------------------------------------------------------------------------
here = pathlib.Path(__file__).parent
for name, cases in files.items():
    head = "# %s: %d cases, written by make_reference.py (NumPy %s, SciPy %s, JAX %s)\n" % (name, len(cases), np.__version__, scipy.__version__, jax.__version__)
    (here / (name + ".txt")).write_text(head + "".join(cases))
    print("%-12s %4d cases %6d bytes" % (name, len(cases), (here / (name + ".txt")).stat().st_size))
