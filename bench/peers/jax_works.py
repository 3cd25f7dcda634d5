"""JAX on the works of per_example_bench: the same inputs, results compared first, times after.

usage: python jax_works.py DIR [WORK ...]

DIR is what `per_example_bench --dump=DIR` wrote: one folder per work (mlp_1797, lstm_64, cnn_64, lstm_jacobian_128, ...)
with the inputs and df's results as .npy. If DIR/df.json is there (`--benchmark_out=DIR/df.json`), each line ends with the
ratio of df's median to JAX's best median. Exits with 1 if any result differs.
"""
import json
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

MEMBERS = dict(
    mlp=["w1", "b1", "w2", "b2"],
    lstm=["wx", "wh", "b", "head", "bias"],
    cnn=["k1", "b1", "k2", "b2", "w3", "b3", "w4", "b4"],
)
HIDDEN = 256
TOLERANCE = 1e-4  # of the largest value of each result
SECONDS = 2.0     # how long each variant is timed


# ---- one example of each model ------------------------------------------------------------------

def mlp(p, x):
    w1, b1, w2, b2 = p
    return jnp.tanh(x @ w1 + b1) @ w2 + b2


def lstm_hidden(p, x):
    wx, wh, b = p[:3]
    h = c = jnp.zeros(HIDDEN, x.dtype)
    for t in range(x.shape[0]):
        i, f, g, o = jnp.split(x[t] @ wx + h @ wh + b, 4)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return h


def lstm(p, x):
    return lstm_hidden(p, x) @ p[3] + p[4]


def cnn(p, x):  # channels last: the layout XLA likes best on a CPU
    def stage(x, k, b):
        x = lax.conv_general_dilated(x[None], k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))[0]
        return lax.reduce_window(jax.nn.relu(x + b), -jnp.inf, lax.max, (2, 2, 1), (2, 2, 1), "VALID")
    k1, b1, k2, b2, w3, b3, w4, b4 = p
    x = stage(stage(x, k1, b1), k2, b2)
    return jax.nn.relu(x.reshape(-1) @ w3 + b3) @ w4 + b4


def loss_of(model):
    def loss(p, x, label):
        logits = model(p, x)
        return jax.nn.logsumexp(logits) - logits[label]
    return loss


# ---- between df's layout (channels first, kernels [out, in, rows, columns]) and the one above ----

def cnn_to_jax(p, x):
    p = list(p)
    p[0], p[2] = (np.ascontiguousarray(k.transpose(2, 3, 1, 0)) for k in (p[0], p[2]))
    p[4] = np.ascontiguousarray(p[4].reshape(64, 7, 7, -1).transpose(1, 2, 0, 3).reshape(3136, -1))
    return p, np.ascontiguousarray(x.transpose(0, 2, 3, 1))


def cnn_from_jax(grads):
    g = list(grads)
    g[0], g[2] = (k.transpose(0, 4, 3, 1, 2) for k in (g[0], g[2]))
    n = g[4].shape[0]
    g[4] = g[4].reshape(n, 7, 7, 64, -1).transpose(0, 3, 1, 2, 4).reshape(n, 3136, -1)
    return g


# ---- comparing and timing ------------------------------------------------------------------------

def difference(got, want):
    """Largest difference over the largest value; infinite for NaNs and other shapes."""
    if got.shape != want.shape:
        return float("inf")
    d = float(np.abs(got - want).max()) / max(float(np.abs(want).max()), 1e-30)
    return d if d == d else float("inf")


def timed(f, *args):
    """(result, min ms, median ms); compiling and one warm call are not counted."""
    result = jax.block_until_ready(f(*args))
    jax.block_until_ready(f(*args))
    times, end = [], time.perf_counter() + SECONDS
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        jax.block_until_ready(f(*args))
        times.append(1e3 * (time.perf_counter() - start))
    return result, min(times), float(np.median(times))


def df_medians(root):
    """{benchmark name: median ms} from Google Benchmark's JSON."""
    file, scale = root / "df.json", dict(ns=1e-6, us=1e-3, ms=1.0, s=1e3)
    if not file.exists():
        return {}
    rows = json.loads(file.read_text())["benchmarks"]
    name = lambda r: "/".join(r["run_name"].split("/")[:3])  # without repeats and clock
    return {name(r): r["real_time"] * scale[r["time_unit"]] for r in rows if r.get("aggregate_name") == "median"}


def works(root, wanted):
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and (not wanted or folder.name in wanted):
            kind, _, size = folder.name.rpartition("_")
            yield folder, kind, int(size)


def variants(kind, size):
    """{name: compiled function of (params, x, labels)}."""
    if kind == "lstm_jacobian":
        first = lambda p, x: lstm_hidden(p, x)[:size]

        def rows(p, x):
            _, pullback = jax.vjp(lambda x: first(p, x), x)
            return lax.map(lambda e: pullback(e)[0], jnp.eye(size, HIDDEN)[:, :size])
        return dict(vectorized=jax.jit(lambda p, x, y: jax.jacrev(first, argnums=1)(p, x[0])),
                    one_by_one=jax.jit(lambda p, x, y: rows(p, x[0])))
    gradient = jax.grad(loss_of(dict(mlp=mlp, lstm=lstm, cnn=cnn)[kind]))
    return dict(vectorized=jax.jit(jax.vmap(gradient, (None, 0, 0))),
                one_by_one=jax.jit(lambda p, x, y: lax.map(lambda a: gradient(p, *a), (x, y))))


def run(folder, kind, size, df):
    members = MEMBERS["lstm" if kind == "lstm_jacobian" else kind]
    load = lambda name: np.load(folder / f"{name}.npy")
    p, x, y = [load(m) for m in members], load("x"), load("labels")
    if kind == "cnn":
        p, x = cnn_to_jax(p, x)
    inputs = jax.device_put((p, x, y))
    good, best, line = True, float("inf"), f"{folder.name:18}"
    for name, f in variants(kind, size).items():
        result, least, median = timed(f, *inputs)
        if kind == "lstm_jacobian":
            pairs = [("jacobian", np.asarray(result))]
        else:
            result = [np.asarray(r) for r in result]
            pairs = [("grad_" + m, r) for m, r in zip(members, cnn_from_jax(result) if kind == "cnn" else result)]
        for file, value in pairs:
            d = difference(load(file), value)
            if not d <= TOLERANCE:
                print(f"{folder.name}: {file} differs from JAX {name} by {d:.2g} of the largest value")
                good = False
        best = min(best, median)
        line += f"  JAX {name} min {least:9.4f} median {median:9.4f} ms"
    mine = df.get(f"{kind}/{size}/vectorized")
    print(line + (f"  df {mine:9.4f} ms  df : JAX {mine / best:.2f}" if mine else ""), flush=True)
    return good


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    df = df_medians(root)
    print(f"jax {jax.__version__} on {jax.devices()[0]}")
    results = [run(folder, kind, size, df) for folder, kind, size in works(root, sys.argv[2:])]
    if not results:
        sys.exit(f"no works in {root}")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
