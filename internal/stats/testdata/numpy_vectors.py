"""Makes numpy_vectors.json with NumPy: python3 numpy_vectors.py > numpy_vectors.json

The values are not stored: both sides compute them as
v[i] = ((i * 2654435761 + seed) mod 2**32) / 1e9, which is exact up to one rounding.
"""
import json

import numpy as np

PERCENTILES = [0, 1, 5, 25, 33.3, 50, 75, 90, 95, 99, 99.9, 99.99, 100]


def values(n, seed):
    return [((i * 2654435761 + seed) % 2**32) / 1e9 for i in range(n)]


cases = []
for seed in (1, 12345, 4000000000):
    for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 127, 128, 129, 136, 255, 257, 1000, 4097, 100003):
        v = values(n, seed)
        cases.append({
            "n": n,
            "seed": seed,
            "mean": float(np.mean(v)),
            "std": float(np.std(v)),
            "median": float(np.median(v)),
            "percentiles": [[p, float(np.percentile(v, p))] for p in PERCENTILES],
        })
print(json.dumps({"numpy": np.__version__, "cases": cases}, indent=1))
