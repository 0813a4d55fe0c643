"""Makes prompts.json beside it: prompts by the rules of vLLM's client, with the
tokenizers of Hugging Face, NumPy and CPython doing the work.

Run: python make_prompts.py TOKENIZERS_FOLDER SONNET_FILE > prompts.json
(needs numpy and transformers; the folder is what scripts/tokenizers.sh fills)
"""

import hashlib
import json
import math
import random
import sys
import time

import numpy as np
import transformers
from transformers import PreTrainedTokenizerFast

folder, poem = sys.argv[1:3]
tokenizers = {}


def tokenizer(name):
    if name not in tokenizers:
        tokenizers[name] = PreTrainedTokenizerFast.from_pretrained(f"{folder}/{name}")
    return tokenizers[name]


def fit(t, ids, want, draw):
    for left in range(10, -1, -1):
        text = t.decode(ids)
        ids = t.encode(text, add_special_tokens=False)
        if left == 0 or len(ids) == want:
            break
        ids = ids[:want] if len(ids) > want else ids + draw(want - len(ids))
    return text, ids


def row(text, tokens, output):
    return [hashlib.sha256(text.encode()).hexdigest()[:16], tokens, output]


def random_dataset(name, n, seed, in_len, out_len, ratio, prefix_len):
    t, g = tokenizer(name), np.random.default_rng(seed)
    length = max(0, in_len - t.num_special_tokens_to_add())
    ins = g.integers(math.floor(length * (1 - ratio)), math.ceil(length * (1 + ratio)) + 1, size=n)
    outs = g.integers(max(1, math.floor(out_len * (1 - ratio))), max(1, math.ceil(out_len * (1 + ratio))) + 1, size=n)
    offsets = g.integers(0, t.vocab_size, size=n)
    special = set(t.all_special_ids)
    allowed = [i for i in range(t.vocab_size) if i not in special]
    draw = lambda k: g.integers(0, t.vocab_size, size=k).tolist()
    prefix = []
    if prefix_len:
        start = [allowed[i] for i in g.integers(0, len(allowed), size=prefix_len)]
        prefix = fit(t, start, prefix_len, draw)[1]
    rows = []
    for i in range(n):
        body = [allowed[(int(offsets[i]) + i + j) % len(allowed)] for j in range(int(ins[i]))]
        text, ids = fit(t, prefix + body, prefix_len + int(ins[i]), draw)
        rows.append(row(text, len(ids), int(outs[i])))
    return rows


def prefix_repetition(name, n, seed, prefix_len, suffix_len, prefixes, out_len):
    t = tokenizer(name)
    random.seed(seed)
    np.random.seed(seed)
    draw = lambda k: np.random.randint(0, t.vocab_size, size=k).tolist()
    rows = []
    for _ in range(prefixes):
        prefix = fit(t, draw(prefix_len), prefix_len, draw)[1]
        for _ in range(n // prefixes):
            ids = prefix + fit(t, draw(suffix_len), suffix_len, draw)[1]
            rows.append(row(t.decode(ids), len(ids), out_len))
    random.shuffle(rows)
    return rows, float(np.random.random_sample()).hex()


def sonnet(name, n, seed, in_len, out_len, prefix_len):
    t = tokenizer(name)
    random.seed(seed)
    with open(poem, encoding="utf-8") as f:
        lines = f.readlines()
    count = lambda text: len(t(text).input_ids)
    task = "Pick as many lines as you can from these poem lines:\n"
    chat = lambda text: t.apply_chat_template([{"role": "user", "content": text}], add_generation_prompt=True, tokenize=False)
    per_line = sum(count(line) for line in lines) / len(lines)
    base = count(chat(task))
    shared = max(round((prefix_len - base) / per_line), 0)
    extra = max(round((in_len - base) / per_line), 1) - shared
    rows = []
    while len(rows) < n:
        text = chat(task + "".join(lines[:shared] + random.choices(lines, k=extra)))
        if count(text) <= in_len:
            rows.append(row(text, count(text), out_len))
    return rows


cases = []
for args in (
    ("gpt2", 40, 3, 300, 20, 0.0, 0),
    ("gpt2", 20, 1, 1024, 128, 0.25, 50),
    ("qwen2_5", 20, 9, 512, 64, 0.5, 16),
    ("llama3_1", 20, 5, 200, 64, 0.1, 0),  # adds one special token
):
    keys = ("tokenizer", "num_prompts", "seed", "input_len", "output_len", "ratio", "prefix_len")
    cases.append({"dataset": "random", **dict(zip(keys, args)), "rows": random_dataset(*args)})
for args in (("gpt2", 25, 6, 40, 30, 4, 9), ("qwen2_5", 12, 2, 64, 64, 3, 9)):
    keys = ("tokenizer", "num_prompts", "seed", "prefix_len", "suffix_len", "num_prefixes", "output_len")
    rows, after = prefix_repetition(*args)
    cases.append({"dataset": "prefix_repetition", **dict(zip(keys, args)), "rows": rows, "after": after})
for args in (("qwen2_5", 20, 5, 550, 150, 200), ("llama3_1", 5, 8, 300, 50, 100)):
    keys = ("tokenizer", "num_prompts", "seed", "input_len", "output_len", "prefix_len")
    cases.append({"dataset": "sonnet", **dict(zip(keys, args)), "rows": sonnet(*args)})
print(json.dumps({"made_with": f"transformers {transformers.__version__}, NumPy {np.__version__}", "cases": cases}, indent=0))

begin = time.process_time()
random_dataset("gpt2", 1000, 0, 1024, 128, 0.0, 0)
print(f"1000 random gpt2 prompts of 1024 tokens: {time.process_time() - begin:.2f} s of CPU", file=sys.stderr)
