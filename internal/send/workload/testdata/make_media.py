"""Makes media.json beside it: what the dataset classes of vLLM's own client give for
random-mm, random-rerank and batches of random prompts.

Run: HF_HUB_OFFLINE=1 PYTHON make_media.py TOKENIZERS_FOLDER > media.json
(PYTHON is that of an installation of vLLM; the folder is what scripts/tokenizers.sh fills)
"""

import base64
import hashlib
import io
import json
import os
import sys
import tempfile

# Whatever the libraries print must not stand in the file.
out, sys.stdout = sys.stdout, sys.stderr

import numpy as np
import PIL
from PIL import Image
from PIL import features
from vllm import __version__
from vllm.benchmarks.datasets import datasets as d
from vllm.tokenizers import get_tokenizer

folder = sys.argv[1]
tokenizers = {}
pixels = []


def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:16]


def tokenizer(name):
    if name not in tokenizers:
        tokenizers[name] = get_tokenizer(f"{folder}/{name}")
    return tokenizers[name]


class Seen(d.RandomMultiModalDataset):
    """Notes the pixels of each image before they are encoded."""

    def generate_synthetic_image(self, width, height):
        image = super().generate_synthetic_image(width, height)
        pixels.append(sha(image.tobytes()))
        return image


def item(part):
    kind = part["type"]
    head, data = part[kind]["url"].split(",", 1)
    raw = base64.b64decode(data)
    got = {"type": kind, "head": head, "sha256": sha(raw), "bytes": len(raw)}
    if kind == "image_url":
        got["size"] = list(Image.open(io.BytesIO(raw)).size)
        got["pixels"] = pixels.pop(0)
    return got


def row(r):
    got = {"id": r.request_id, "prompt_len": r.prompt_len, "output_len": r.expected_output_len}
    prompt, media = r.prompt, r.multi_modal_data
    if isinstance(prompt, list) and prompt and isinstance(prompt[0], dict):  # messages
        got["messages"] = [list(m) for m in prompt]
        content = prompt[0]["content"]
        got["first_part"] = list(content[0])
        prompt, media = content[0]["text"], content[1:]
    if isinstance(prompt, list):
        got["inputs"] = [sha(p) for p in prompt]
    else:
        got["prompt"] = sha(prompt)
    if media is not None:
        got["items"] = [item(p) for p in media]
    return got


cases = []


def case(dataset, cls, name, seed, n, **kwargs):
    rows = cls(random_seed=seed).sample(tokenizer=tokenizer(name), num_requests=n, request_id_prefix="p-", **kwargs)
    kwargs = {k: ({str(b): p for b, p in v.items()} if k == "bucket_config" else v) for k, v in kwargs.items()}
    cases.append({"dataset": dataset, "tokenizer": name, "seed": seed, "num_prompts": n, "options": kwargs, "rows": [row(r) for r in rows]})


text = {"input_len": 40, "output_len": 8}
case("random-mm", Seen, "gpt2", 0, 4, **text)
case("random-mm", Seen, "qwen2_5", 7, 5, **text, range_ratio=0.3, prefix_len=8, base_items_per_request=3, num_mm_items_range_ratio=0.5,
     bucket_config={(33, 50, 1): 0.25, (64, 64, 1): 0.5, (16, 8, 1): 0.25}, limit_mm_per_prompt={"image": 4})
case("random-mm", Seen, "llama3_1", 3, 6, **text, base_items_per_request=2, num_mm_items_range_ratio=1.0,
     bucket_config={(17, 31, 1): 2.0, (40, 24, 1): 1.0, (8, 8, 1): 0.0}, limit_mm_per_prompt={"image": 3, "video": 1})
case("random-mm", Seen, "gpt2", 5, 2, **text, bucket_config={(1, 1, 1): 0.5, (7, 9, 1): 0.5}, enable_multimodal_chat=True, base_items_per_request=2)
# Videos: the draws are compared, not the bytes.
case("random-mm", Seen, "gpt2", 2, 6, **text, base_items_per_request=2, bucket_config={(32, 48, 1): 0.5, (32, 48, 4): 0.5}, limit_mm_per_prompt={"image": 2, "video": 1})
case("random-rerank", d.RandomDatasetForReranking, "gpt2", 0, 10, input_len=64, batchsize=4)
case("random-rerank", d.RandomDatasetForReranking, "llama3_1", 4, 7, input_len=50, range_ratio=0.4, batchsize=1)
case("random-rerank", d.RandomDatasetForReranking, "qwen2_5", 9, 9, input_len=33, range_ratio=0.2, batchsize=5, is_reranker=False)
case("random", d.RandomDataset, "gpt2", 1, 10, **text, batchsize=4, range_ratio=0.25, prefix_len=5)
case("random", d.RandomDataset, "llama3_1", 6, 3, **text, batchsize=8)

# A file of images: what becomes of each kind of row.
lines = [
    {"prompt": "one", "image_files": ["/data/a.png"]},
    {"prompt": "two", "image_files": ["https://example.org/b.jpg", "file:///data/c.png"]},
    {"prompt": "three", "image_files": ["data:image/png;base64,AAAA"]},
    {"content": [{"type": "text", "text": "x "}, {"type": "image", "image": "/data/d.png"}, {"type": "text", "text": "y"}]},
    {"content": [{"type": "image_url", "image_url": "http://example.org/e.png"}, {"type": "text", "text": "é"}]},
    {"content": [{"type": "image_url", "image_url": {"url": "f.png", "detail": "low"}}], "prompt": "unused"},
]
images = []
with tempfile.TemporaryDirectory() as temp:
    path = os.path.join(temp, "images.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(json.dumps(line) for line in lines) + "\n\n")
    for seed, n, chat, shuffle in ((0, 8, False, True), (3, 4, False, True), (0, 0, True, False), (1, -1, False, True)):
        data = d.CustomImageDataset(dataset_path=path, random_seed=seed, disable_shuffle=not shuffle)
        rows = data.sample(tokenizer=tokenizer("gpt2"), num_requests=n, request_id_prefix="p-", output_len=9, enable_multimodal_chat=chat)
        images.append({"seed": seed, "num_prompts": n, "chat": chat, "shuffle": shuffle, "rows": [
            {"id": r.request_id, "prompt_len": r.prompt_len, "output_len": r.expected_output_len, "prompt": r.prompt, "media": r.multi_modal_data} for r in rows]})

versions = f"vLLM {__version__}, Pillow {PIL.__version__}, libjpeg-turbo {features.version('libjpeg_turbo')}, NumPy {np.__version__}"
json.dump({"made_with": versions, "cases": cases, "image_lines": lines, "images": images}, out, indent=1)
