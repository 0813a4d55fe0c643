"""Makes vectors.json beside it: draws of NumPy and CPython as hexadecimal doubles.

Run: python make_vectors.py > vectors.json   (needs numpy and mpmath)
"""

import json
import platform
import random

import numpy as np
from mpmath import log, mp, mpf, power

mp.prec = 300
SEEDS = [0, 1, 7, 42, 2**31, 2**32 - 1]
WIDE = SEEDS + [2**32, 2**63 + 12345]


def hexes(values):
    return [float(v).hex() for v in values]


def legacy(seed):
    make = lambda: np.random.RandomState(seed)
    out = {"seed": seed}
    r = make()
    out["random"] = hexes(r.random_sample() for _ in range(8))
    r = make()
    out["exponential"] = hexes(r.standard_exponential() for _ in range(8))
    r = make()
    out["gauss"] = hexes(r.standard_normal() for _ in range(9))
    out["gamma"] = []
    for shape in (0.01, 0.1, 0.5, 0.7, 0.999, 1.0, 1.0001, 2.0, 3.7, 10.0, 1000.0):
        r = make()
        values = hexes(r.gamma(shape, 0.25) for _ in range(20))
        out["gamma"].append({"shape": shape, "values": values})
    out["randint"] = []
    for high in (1, 2, 3, 100, 50257, 151643, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40):
        r = make()
        values = [int(v) for v in r.randint(0, high, size=12)]
        out["randint"].append({"high": high, "values": values, "after": float(r.random_sample()).hex()})
    return out


def python(seed):
    out = {"seed": seed}
    make = lambda: random.Random(seed)
    out["random"] = hexes(make().random() for _ in range(1))
    r = make()
    out["bits"] = [[k, str(r.getrandbits(k))] for k in (1, 5, 31, 32, 33, 53, 63, 64)]
    r = make()
    x = list(range(50))
    r.shuffle(x)
    out["shuffle"] = x
    r = make()
    out["choice"] = [[n, r.choice(range(n))] for n in (1, 2, 3, 10, 100, 1000, 2**33)]
    out["choices"] = make().choices(range(517), k=12)
    out["sample"] = [[n, k, make().sample(range(n), k)] for n, k in ((5, 5), (20, 3), (30, 3), (100, 6), (84, 6), (85, 6), (1000, 20))]
    return out


def generator(seed):
    out = {"seed": seed}
    r = np.random.default_rng(seed)
    out["random"] = hexes(r.random() for _ in range(4))
    r = np.random.default_rng(seed)
    out["calls"] = []
    # One generator for all: the half word that an odd count leaves over must carry on.
    for high in (50257, 1, 3, 151643, 2**32 - 1, 2**32, 2**32 + 1, 2**40, 2**63 - 1, 7):
        values = [int(v) for v in r.integers(0, high, size=5)]
        out["calls"].append({"high": str(high), "values": [str(v) for v in values]})
    return out


def functions():
    r = np.random.RandomState(123)
    out = {"log": [], "pow": []}
    xs = [float(v) for v in r.random_sample(60)] + [1 - 2.0**-53, 2.0**-53, 1 + 2.0**-52, 2.0, 0.5, 1e300, 5e-324, 0.7071067811865475, 0.7071067811865476]
    for x in xs:
        out["log"].append([x.hex(), float(log(mpf(x))).hex()])
        for y in (1 / 0.7, 1 / 0.1, 1 / 0.01, 0.5, 1 / 3):
            p = power(mpf(x), mpf(y))
            # A power that lies halfway between two doubles to 80 bits is no fair question.
            fair = float(p * (1 + mpf(2) ** -80)) == float(p * (1 - mpf(2) ** -80))
            if fair and p > mpf("1e-300") and p < mpf("1e300"):
                out["pow"].append([x.hex(), y.hex(), float(p).hex()])
    return out


print(json.dumps({
    "made_with": f"NumPy {np.__version__}, CPython {platform.python_version()}, {platform.machine()} with {' '.join(platform.libc_ver())}; log and pow by mpmath, rounded to nearest",
    "legacy": [legacy(s) for s in SEEDS],
    "python": [python(s) for s in WIDE],
    "generator": [generator(s) for s in WIDE],
    "functions": functions(),
}, indent=0))
