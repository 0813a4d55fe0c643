"""Writes formats.json: digests of what their own libraries make of the corpus with the files of scripts/tokenizer-formats.sh.

pip install sentencepiece==0.2.2 tiktoken==0.14.0 mistral-common==1.13.0 && python formats.py FOLDER
"""

import base64
import gzip
import hashlib
import json
import pathlib
import sys

import sentencepiece
import tiktoken
from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy, Tekkenizer
from tiktoken_ext import openai_public

HERE = pathlib.Path(__file__).parent
corpus = [e["s"] for e in json.loads(gzip.decompress((HERE / "corpus.json.gz").read_bytes()))]


def open_file(path):
    if path.suffix == ".tiktoken":
        openai_public.load_tiktoken_bpe = lambda *_, **__: {base64.b64decode(t): int(r) for t, r in map(bytes.split, path.read_bytes().splitlines())}
        e = tiktoken.Encoding(**getattr(openai_public, path.stem)())
        return lambda s: e.encode(s, allowed_special="all"), e.decode
    if path.suffix == ".json":
        k = Tekkenizer.from_file(path)
        return lambda s: k.encode(s, bos=False, eos=False), lambda i: k.decode(i, special_token_policy=SpecialTokenPolicy.KEEP)
    p = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return p.encode, p.decode


digests = {}
for path in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    encode, decode = open_file(path)
    ids = [list(encode(s)) for s in corpus]
    digests[path.name] = {
        "ids_sha256": hashlib.sha256(json.dumps(ids, separators=(",", ":")).encode()).hexdigest(),
        "decoded_sha256": hashlib.sha256("\0".join(map(decode, ids)).encode()).hexdigest(),
    }
(HERE / "formats.json").write_text(json.dumps(digests, indent=1) + "\n")
