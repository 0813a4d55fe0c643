"""What Python's tokenizers takes to make random prompts by the rules of vLLM's client.

Run by bench/prompts: python prompts.py TOKENIZER_JSON PROMPTS TOKENS SEED
Prints one line of JSON: the CPU seconds of the decode-encode work alone (the ids are drawn, and
the tokenizer is loaded, outside of the clock), the passes, and a hash of all prompts, by which
bench/prompts sees that both did the same work. Needs numpy and tokenizers.
"""

import hashlib
import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy
import tokenizers

path, count, length, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
tokenizer = tokenizers.Tokenizer.from_file(path)
vocab = tokenizer.get_vocab_size(with_added_tokens=False)
special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
allowed = [i for i in range(vocab) if i not in special]
length -= tokenizer.num_special_tokens_to_add(is_pair=False)
generator = numpy.random.default_rng(seed)
offsets = generator.integers(0, vocab, size=count).tolist()
passes = 0


def fit(ids):
    """Decode and encode until the length is right; cut, or draw, what is not."""
    global passes
    for left in range(10, -1, -1):
        passes += 1
        text = tokenizer.decode(ids, skip_special_tokens=False)
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        if left == 0 or len(ids) == length:
            return text
        if len(ids) > length:
            ids = ids[:length]
        else:
            ids = ids + generator.integers(0, vocab, size=length - len(ids)).tolist()


cpu = 0.0
hashed = hashlib.sha256()
for i, offset in enumerate(offsets):
    ids = [allowed[(offset + i + j) % len(allowed)] for j in range(length)]
    begin = time.process_time()
    text = fit(ids)
    cpu += time.process_time() - begin
    hashed.update(text.encode())
    hashed.update(b"\0")
print(json.dumps({"cpu_seconds": cpu, "passes": passes, "sha256": hashed.hexdigest(), "version": tokenizers.__version__}))
