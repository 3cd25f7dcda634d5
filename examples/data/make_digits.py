"""Writes digits_images.npy and digits_labels.npy beside this file, from scikit-learn's copy (pip install scikit-learn)."""
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

here = Path(__file__).parent
digits = load_digits()
np.save(here / "digits_images.npy", np.ascontiguousarray(digits.images, dtype="|u1"))
np.save(here / "digits_labels.npy", digits.target.astype("<i8"))
