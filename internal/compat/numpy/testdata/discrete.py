# Makes discrete.json: the first draws of NumPy's legacy generator, for discrete_test.go.
#   python3 discrete.py > discrete.json
import json
import numpy as np

out = {"numpy": np.__version__, "cases": []}
for seed in (0, 7):
    for name, args in [("zipf", (1.5,)), ("zipf", (2.0,)), ("zipf", (4.0,)), ("poisson", (0.5,)), ("poisson", (6.0,)), ("poisson", (10.0,)), ("poisson", (120.0,)),
                       ("lognormal", (2.0, 0.75)), ("uniform", (1.5, 9.0)), ("randint", (12, 19))]:
        np.random.seed(seed)
        values = getattr(np.random, name)(*args, size=40).tolist()
        out["cases"].append({"seed": seed, "name": name, "args": args, "values": values})
print(json.dumps(out))
