# Makes generator.json: lengths that a generator's config gives, drawn with NumPy's global generator in the order of
# vLLM's multi-turn script: messages of all conversations, prefixes of all, the common prefix, then of each conversation
# the lengths of its messages in and out, one for each message.
#   python3 generator.py > generator.json
import json
import numpy as np


def draw(d, n):
    kind, top = d["distribution"], d.get("max")
    if kind == "constant":
        return [int(d["value"])] * n
    if kind == "uniform":
        whole = isinstance(d["min"], int) and isinstance(d["max"], int)
        v = np.random.randint(d["min"], d["max"] + 1, size=n) if whole else np.random.uniform(d["min"], d["max"], size=n)
        return [int(x) for x in v]
    if kind in ("zipf", "poisson"):
        v = getattr(np.random, kind)(d["alpha"], size=n)
        return [int(x) for x in (np.minimum(v, top) if top else v)]
    if "average" in d:
        median = d["average"] * d.get("median_ratio", 0.85)
        v = np.random.lognormal(np.log(median), np.sqrt(2 * np.log(d["average"] / median)), size=n)
        v = v * (d["average"] / np.mean(v))
    else:
        v = np.random.lognormal(d["mean"], d["sigma"], size=n)
    return [int(x) for x in np.round(np.minimum(v, top) if top else v)]


example = {  # the shape of the script's own example
    "filetype": "generate_conversations", "num_conversations": 24, "text_files": ["text.txt"], "print_stats": False,
    "prompt_input": {
        "num_turns": {"distribution": "uniform", "min": 12, "max": 18},
        "common_prefix_num_tokens": {"distribution": "constant", "value": 500},
        "prefix_num_tokens": {"distribution": "lognormal", "average": 1000, "max": 5000},
        "num_tokens": {"distribution": "uniform", "min": 120, "max": 160},
    },
    "prompt_output": {"num_tokens": {"distribution": "uniform", "min": 80, "max": 120}},
}
other = {
    "filetype": "generate_conversations", "num_conversations": 40, "text_files": ["text.txt"],
    "prompt_input": {
        "num_turns": {"distribution": "zipf", "alpha": 1.6, "max": 9},
        "prefix_num_tokens": {"distribution": "poisson", "alpha": 40},
        "num_tokens": {"distribution": "lognormal", "mean": 4.0, "sigma": 0.5, "max": 300},
    },
    "prompt_output": {"num_tokens": {"distribution": "uniform", "min": 1.5, "max": 60.0}},
}
out = []
for config, seed in ((example, 0), (other, 3)):
    np.random.seed(seed)
    n, i = config["num_conversations"], config["prompt_input"]
    turns = [max(2, t) + max(2, t) % 2 for t in draw(i["num_turns"], n)]
    prefix = draw(i["prefix_num_tokens"], n)
    common = draw(i["common_prefix_num_tokens"], 1)[0] if "common_prefix_num_tokens" in i else 0
    rows = []
    for t, p in zip(turns, prefix):
        rows.append({"messages": t, "prefix": p, "input": draw(i["num_tokens"], t), "output": draw(config["prompt_output"]["num_tokens"], t)})
    out.append({"seed": seed, "config": config, "common": common, "conversations": rows})
print(json.dumps(out))
