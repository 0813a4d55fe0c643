"""Makes traces.json beside it: what the dataset classes timed_trace and burstgpt of
vLLM's own client (0.32) make of small files.

Run: python make_traces.py TOKENIZERS_FOLDER > traces.json
(needs vllm 0.32.0; the folder is what scripts/tokenizers.sh fills)

vLLM draws the tokens of timed_trace from Python's hash of a text, which every process
salts anew. With PYTHONHASHSEED it does not, so that each seed has a process of its own.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

TRACE = """{"timestamp": 0, "input_length": 40, "output_length": 5, "hash_ids": [0, 1, 2]}
{"timestamp": 1500, "input_length": 48, "output_length": 7, "hash_ids": [0, 1, 2]}
{"timestamp": 1500.5, "input_length": 17, "output_length": 1, "hash_ids": [0, 123456789]}
{"timestamp": 1000, "input_length": 100, "output_length": 9, "hash_ids": [18446744073709551615, 4]}
{"timestamp": 2000, "input_length": 16, "output_length": 2, "hash_ids": [-7, 8, 9]}
{"timestamp": 2001, "input_length": 5, "output_length": 2}
"""
OTHER = TRACE.replace("timestamp", "t").replace("input_length", "in").replace("output_length", "out").replace("hash_ids", "h")
BURST = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n" + "".join(
    f"{i},{'GPT-4' if i % 3 else 'ChatGPT'},{10 + 7 * i % 61},{0 if i % 10 == 1 else i % 40 + 1},1,API log\n" for i in range(90))


def row(text, tokens, output):
    return [hashlib.sha256(text.encode()).hexdigest()[:16], tokens, output]


def tokenizer(folder, name):
    from vllm.tokenizers import get_tokenizer
    return get_tokenizer(f"{folder}/{name}")


def write(text):
    f = tempfile.NamedTemporaryFile("w", suffix=".x", delete=False)
    f.write(text)
    f.close()
    return f.name


def timed(folder, name, n, chunk, multiplier, labels, text):
    import numpy as np
    from vllm.benchmarks.datasets.datasets import TimedTrace
    keys = ("timestamp", "input_length", "output_length", "hash_ids")
    d = TimedTrace(dataset_path=write(text), timed_trace_chunk_hash_size=chunk, timed_trace_sec_multiplier=multiplier,
                   **{f"timed_trace_label_{k}": v for k, v in zip(keys, labels)})
    rows = [row(json.dumps(r.prompt, separators=(",", ":")), r.prompt_len, r.expected_output_len) + [r.timestamp]
            for r in d.sample(tokenizer(folder, name), n)]
    return rows, float(np.random.random_sample()).hex()


def burst(folder, name, n, seed):
    from vllm.benchmarks.datasets.datasets import BurstGPTDataset
    d = BurstGPTDataset(dataset_path=write(BURST), random_seed=seed)
    return [row(r.prompt, r.prompt_len, r.expected_output_len) for r in d.sample(tokenizer(folder, name), n)]


def child(folder, seed):
    """All cases of one hash seed."""
    cases = []
    usual = ["timestamp", "input_length", "output_length", "hash_ids"]
    for name, n, chunk, multiplier, labels, text in (
        ("gpt2", 1000, 16, 1.0, usual, TRACE),
        ("gpt2", 3, 16, 0.001, usual, TRACE),
        ("qwen2_5", 1000, 512, 0.001, usual, TRACE),
        ("llama3_1", 1000, 16, 0.001, ["t", "in", "out", "h"], OTHER),
    ):
        rows, after = timed(folder, name, n, chunk, multiplier, labels, text)
        cases.append({"dataset": "timed_trace", "tokenizer": name, "num_prompts": n, "hash_seed": seed, "chunk": chunk,
                      "multiplier": multiplier, "labels": labels, "file": text, "rows": rows, "after": after})
    if seed == 0:
        for name, n, at in (("gpt2", 20, 0), ("gpt2", 54, 7), ("qwen2_5", 200, 3), ("llama3_1", 10, 12345)):
            cases.append({"dataset": "burstgpt", "tokenizer": name, "num_prompts": n, "seed": at, "file": BURST, "rows": burst(folder, name, n, at)})
    return cases


if len(sys.argv) == 3:
    real, sys.stdout = sys.stdout, sys.stderr
    cases = child(sys.argv[1], int(sys.argv[2]))
    json.dump(cases, real)
else:
    import vllm
    cases = []
    for seed in (0, 42, 4294967295):
        out = subprocess.run([sys.executable, __file__, sys.argv[1], str(seed)], env={**os.environ, "PYTHONHASHSEED": str(seed)},
                             stdout=subprocess.PIPE, check=True)
        cases += json.loads(out.stdout)
    print(json.dumps({"made_with": f"vLLM {vllm.__version__}, Python {sys.version.split()[0]}", "cases": cases}, indent=0))
