"""Python's own client, for TestPythonClient. Its version goes to standard error.

client.py download MODEL DATASET  fetches from HF_ENDPOINT
client.py read MODEL DATASET      reads the cache only, as with HF_HUB_OFFLINE=1

client.py errors MODEL DATASET    prints the names of the errors that it raises for what can't be had

Else prints what it has as JSON: for each file its text's SHA-256 and its path below the cache.
"""

import hashlib
import json
import os
import sys

import huggingface_hub
from huggingface_hub import hf_hub_download, scan_cache_dir, snapshot_download, try_to_load_from_cache

how, model, dataset = sys.argv[1:]
offline = how == "read"
cache = os.environ["HF_HUB_CACHE"]
print(huggingface_hub.__version__, file=sys.stderr)

if how == "errors":
    for name, file, revision in [(model + "-gated", "tokenizer.json", None), ("org/absent", "x", None), (model, "absent.json", None), (model, "config.json", "v9")]:
        try:
            hf_hub_download(name, file, revision=revision)
            print(name, "came")
        except Exception as error:
            print(name, file, revision, type(error).__name__)
    sys.exit()

found = {}


def add(path):
    with open(path, "rb") as file:
        found[os.path.relpath(path, cache)] = hashlib.sha256(file.read()).hexdigest()


folder = snapshot_download(model, allow_patterns=["tokenizer.json", "config.json", "empty.model"], local_files_only=offline)
for name in ["tokenizer.json", "config.json", "empty.model"]:
    add(os.path.join(folder, name))
add(hf_hub_download(model, "tokenizer.json", local_files_only=offline))
add(hf_hub_download(dataset, "data/train-0.jsonl", repo_type="dataset", local_files_only=offline))
try:
    hf_hub_download(model, "chat_template.jinja", local_files_only=offline)
except Exception:
    pass
absent = try_to_load_from_cache(model, "chat_template.jinja")
info = scan_cache_dir()
print(
    json.dumps(
        {
            "files": found,
            "known_absent": absent is not None and not isinstance(absent, str),
            "repos": sorted(f"{r.repo_type} {r.repo_id} {r.nb_files}" for r in info.repos),
            "refs": sorted(f"{r.repo_id} {ref}" for r in info.repos for ref in r.refs),
            "warnings": [str(w) for w in info.warnings],
        },
        sort_keys=True,
    )
)
