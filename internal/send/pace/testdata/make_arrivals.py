"""Makes arrivals.json beside it: schedules as NumPy's legacy generator gives them.

Run: python make_arrivals.py > arrivals.json   (needs numpy)
"""

import json
import math

import numpy as np


def schedule(n, rate, burstiness, seed, ramp, skip):
    np.random.seed(seed)
    np.random.randint(0, 50257, size=skip)  # a dataset that drew before
    at, due = 0.0, []
    for i in range(n):
        r = rate
        if ramp:
            kind, a, b = ramp
            p = i / max(n - 1, 1)
            r = a + (b - a) * p if kind == "linear" else a * (b / a) ** p
        gap = 1 / r if math.isinf(burstiness) else np.random.gamma(burstiness, 1 / (r * burstiness))
        at += gap
        due.append(float(at))
    if not ramp:
        factor = n / rate / due[-1]
        due = [d * factor for d in due]
    return due


cases = []
for n, rate, burstiness, seed, ramp, skip in (
    (1, 3, 1.0, 0, None, 0),
    (6, 10, 1.0, 0, None, 0),
    (6, 7.5, 0.3, 4, None, 0),
    (6, 7.5, 4.2, 4, None, 0),
    (6, 7, math.inf, 4, None, 0),
    (6, 10, 1.0, 0, None, 100),
    (9, None, 1.0, 2, ["linear", 1, 5], 0),
    (9, None, math.inf, 2, ["exponential", 2, 9], 0),
    (1, None, 1.0, 2, ["exponential", 2, 9], 0),
):
    cases.append({
        "n": n, "rate": rate, "burstiness": "inf" if math.isinf(burstiness) else burstiness,
        "seed": seed, "ramp": ramp, "skip": skip,
        "due_s": schedule(n, rate, burstiness, seed, ramp, skip),
    })
print(json.dumps({"made_with": f"NumPy {np.__version__}", "arrivals": cases}, indent=1))
