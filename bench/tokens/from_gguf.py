"""Writes tokenizer.json files from the vocabularies in GGUF that llama.cpp tests itself with: BERT's (bge) and XLM-R's (nomic).

pip install gguf==0.19.0 && python from_gguf.py ~/.cache/inferometer/llama.cpp-*/models ~/.cache/inferometer/tokenizers
No package that we know of has the original files. The vocabulary, the scores and the table of characters are theirs; the pipeline
around them is the one that Hugging Face's converters write for these models.
"""

import base64
import json
import pathlib
import sys

import gguf

models, out = map(pathlib.Path, sys.argv[1:])


def token(id, content):
    return {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def write(name, **parts):
    (out / name).mkdir(parents=True, exist_ok=True)
    whole = {"version": "1.0", "truncation": None, "padding": None} | parts
    (out / name / "tokenizer.json").write_text(json.dumps(whole, ensure_ascii=False))


def read(name):
    fields = gguf.GGUFReader(models / f"ggml-vocab-{name}.gguf").fields
    return lambda key: fields["tokenizer.ggml." + key].contents()


field = read("bert-bge")
names = [t[1:] if t.startswith("▁") else t if k == 3 or t.startswith("[") else "##" + t for t, k in zip(field("tokens"), field("token_type"))]
vocab = {t: i for i, t in enumerate(names)}
write(
    "bert", added_tokens=[token(vocab[t], t) for t in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]],
    normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    pre_tokenizer={"type": "BertPreTokenizer"}, post_processor={"type": "BertProcessing", "sep": ["[SEP]", vocab["[SEP]"]], "cls": ["[CLS]", vocab["[CLS]"]]},
    decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    model={"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
)

field = read("nomic-bert-moe")
names = field("tokens")
space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
charsmap = base64.b64encode(bytes(b & 255 for b in field("precompiled_charsmap"))).decode()
write(
    "xlm_r", added_tokens=[token(i, t) for i, t in enumerate(names[:4])] + [token(len(names) - 1, names[-1])],
    normalizer={"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": charsmap},
                                                    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
    pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]}, post_processor=None, decoder=space,
    model={"type": "Unigram", "unk_id": names.index("<unk>"), "vocab": [[t, s] for t, s in zip(names, field("scores"))], "byte_fallback": False},
)
