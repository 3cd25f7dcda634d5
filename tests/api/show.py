# Writes show.txt: what NumPy prints, for show_test.cpp.
import numpy as np

nan, inf = np.nan, np.inf
cases = {
    "vector": np.array([1.0, 2.5, -3.0]),
    "matrix": np.array([[1.0, 2.5], [3.0, 4.0]]),
    "cube": np.arange(8.0).reshape(2, 2, 2),
    "digits": np.array([1 / 3, 2 / 3]),
    "digits of float": np.array([1 / 3, 0.1], np.float32),
    "powers": np.array([1e10, 1.5e-5]),
    "range": np.array([1e-3, 1.0, 1001.0]),
    "long powers": np.array([5e-324, 1]),
    "nan and inf": np.array([1.5, nan, -inf, inf]),
    "only inf": np.array([inf, -inf]),
    "minus zero": np.array([-0.0, 1.0]),
    "columns": np.array([[1.0, -1234.5], [0.001, 12.25]]),
    "bool": np.array([[True, False], [False, True]]),
    "integers": np.array([[1, -20], [300, 4]]),
    "bytes": np.array([1, 200], np.uint8),
    "wrapped": np.arange(40),
    "wrapped numbers": np.linspace(0, 1, 30),
    "thousand": np.arange(1000).reshape(250, 4),
    "more than thousand": np.arange(1001),
    "summarised matrix": np.arange(2000).reshape(40, 50),
    "summarised cube": np.arange(1600).reshape(2, 8, 100),
    "four axes": np.arange(16).reshape(2, 2, 2, 2),
    "no elements": np.zeros((0, 3)),
    "scalar": np.array(3.0),
    "scalar digits": np.array(1 / 3),
    "large scalar": np.array(1e20),
    "small scalar": np.array(1.5e-5),
    "scalar of float": np.float32(0.1),
    "integer scalar": np.array(5),
    "bool scalar": np.array(True),
}
with open(__file__.replace(".py", ".txt"), "w") as out:
    for name, array in cases.items():
        out.write(f"--- {name}\n{array!s}\n")
