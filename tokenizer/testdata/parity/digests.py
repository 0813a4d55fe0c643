"""Writes digests.json: digests of what Hugging Face's library makes of the corpus with the tokenizer.json of each family.

scripts/tokenizers.sh fetches the families. pip install tokenizers==0.23.3 && python digests.py FOLDER
"""

import gzip
import hashlib
import json
import pathlib
import sys

from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
corpus = [e["s"] for e in json.loads(gzip.decompress((HERE / "corpus.json.gz").read_bytes()))]

digests = {}
for name in json.loads((HERE / "digests.json").read_text()):
    t = Tokenizer.from_file(str(pathlib.Path(sys.argv[1]) / name / "tokenizer.json"))
    t.no_padding()
    t.no_truncation()
    ids = [t.encode(s, add_special_tokens=False).ids for s in corpus]
    digests[name] = {
        "strings": len(corpus),
        "ids_sha256": hashlib.sha256(json.dumps(ids, separators=(",", ":")).encode()).hexdigest(),
        "decoded_sha256": hashlib.sha256("\0".join(t.decode(i, skip_special_tokens=False) for i in ids).encode()).hexdigest(),
    }
(HERE / "digests.json").write_text(json.dumps(digests, indent=1) + "\n")
