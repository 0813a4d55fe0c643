"""What Python's tokenizers takes to encode and to decode the corpus on one core.

Run by bench/tokens: python tokens.py TOKENIZER_JSON CORPUS TIMES
Prints one line of JSON: CPU seconds, bytes of text, and a hash of all ids and texts, by which bench/tokens sees that both did the same work.
"""

import gzip
import hashlib
import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import tokenizers

path, corpus, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
tokenizer = tokenizers.Tokenizer.from_file(path)
texts, text = [], ""
for entry in json.loads(gzip.decompress(open(corpus, "rb").read())):
    if len(entry["s"].encode()) > 20_000:
        continue  # one text should not be the whole figure
    text += entry["s"] + "\n"
    if len(text.encode()) > 4000:
        texts.append(text)
        text = ""
hashed = hashlib.sha256()
encode = decode = 0.0
for _ in range(times):
    begin = time.process_time()
    ids = [tokenizer.encode(t, add_special_tokens=False).ids for t in texts]
    encode += time.process_time() - begin
    begin = time.process_time()
    back = [tokenizer.decode(i, skip_special_tokens=False) for i in ids]
    decode += time.process_time() - begin
for i, t in zip(ids, back):
    hashed.update((" ".join(map(str, i)) + "\n" + t + "\0").encode())
size = times * sum(len(t.encode()) for t in texts)
print(json.dumps({"encode": encode, "decode": decode, "bytes": size, "sha256": hashed.hexdigest(), "version": tokenizers.__version__}))
