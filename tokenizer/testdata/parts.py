"""Writes parts.json.gz: what each part of the reference implementation makes of some texts.

pip install tokenizers==0.23.3 sentencepiece==0.2.2 && python parts.py
"""

import base64
import gzip
import io
import itertools
import json
import pathlib
import random
import tempfile

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
corpus = json.loads(gzip.decompress((HERE / "parity" / "corpus.json.gz").read_bytes()))
TEXTS = [e["s"] for e in corpus if len(e["s"]) < 400][::90] + [
    "", " ", "  a  b ", "Hello, World! It's 2024.", "naïve café ÀÉÎ", "İstanbul ΣΑΣ ẞ", "e\u0301a\u0308\u0323 x\u0323\u0307", "日本語のテキスト한국어",
    "ab\r\ncd\n\ne\tf", "½ ² ٣ 五 Ⅷ", "ﬁ ﬀ\u0301 ｱﾊﾟ Å", "[CLS] x ##y [UNK]", "\x00\x01\x7f\x8f\u00ad\u200b\u200d\u2028\ufeff\ufffd", "…—“”¿?", "don 't do not ca n't",
    "a-b--c_d", "Ελληνικά и русский", "ᄀ\u0301각", "\U00011938\U00011935\U00011930", "\u32ff\ua7f2", "x" * 120, "🤗👩‍👩‍👧🏻 a🏻", "▁a ▁b", "12345678901", "1st 2nd",
]
rng = random.Random(7)
POOL = [0x20, 0x41, 0x61, 0x301, 0x323, 0x1100, 0x1161, 0x11A8, 0xAC00, 0x4E00, 0x3042, 0x30FC, 0x660, 0x2160, 0xFF21, 0x1F600, 0x200D, 0x0E33, 0x915, 0x94D, 0x2C, 0x3002, 0xA]
TEXTS += ["".join(chr(rng.choice(POOL)) for _ in range(rng.randint(1, 12))) for _ in range(60)]
TEXTS += ["".join(chr(rng.choice([rng.randint(0x20, 0x2FFF), rng.randint(0x3000, 0xD7FF), rng.randint(0xE000, 0x1FFFF)])) for _ in range(10)) for _ in range(60)]

RULES = "41\t61\nFB00\t66 66\n65 301\tE9\nD\t20\nA\t20\n9\t20\nBD\t31 2044 32\n0041 030A\tE5\n200B\t\nFF21\t61\nC5\t61 61\n"


def charsmap():
    """A table of characters of our own, as SentencePiece packs it."""
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as rules:
        rules.write(RULES)
        rules.flush()
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["the quick brown fox"] * 20), model_writer=model, vocab_size=20, model_type="char",
            normalization_rule_tsv=rules.name, minloglevel=2)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model.getvalue())
    return base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode()


def bert(**options):
    return {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True} | options


NORMALIZERS = [{"type": t} for t in ["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "ByteLevel"]] + [
    {"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "$1"},
    bert(), bert(lowercase=False), bert(lowercase=False, strip_accents=True), bert(strip_accents=False), bert(clean_text=False), bert(handle_chinese_chars=False),
    {"type": "Precompiled", "precompiled_charsmap": charsmap()},
    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]},
]
BEHAVIOURS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
PATTERNS = [
    {"String": " "}, {"Regex": r"\p{L}+|\p{N}"}, {"Regex": r"\s+(?!\S)|\s+"},
    {"Regex": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\P{L}"},
]
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
PRETOKENIZERS = [{"type": t} for t in ["Whitespace", "WhitespaceSplit", "BertPreTokenizer"]] + [
    BYTES, BYTES | {"add_prefix_space": True}, BYTES | {"use_regex": False},
    {"type": "CharDelimiterSplit", "delimiter": "-"}, {"type": "Digits", "individual_digits": True}, {"type": "Digits", "individual_digits": False},
    {"type": "FixedLength", "length": 3},
    *({"type": "Punctuation", "behavior": b} for b in BEHAVIOURS),
    *({"type": "Split", "pattern": p, "behavior": b, "invert": i} for p, b, i in itertools.product(PATTERNS, BEHAVIOURS, [False, True])),
    *(METASPACE | {"prepend_scheme": p, "split": s} for p, s in itertools.product(["always", "first", "never"], [True, False])),
    {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]},
    {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE | {"prepend_scheme": "first"}]},
    {"type": "Sequence", "pretokenizers": [{"type": "Punctuation", "behavior": "Contiguous"}, BYTES, {"type": "Digits", "individual_digits": False},
                                           {"type": "Split", "pattern": {"Regex": "[0-9][0-9][0-9]"}, "behavior": "Isolated", "invert": False}]},
    {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTES | {"add_prefix_space": True}]},
]
TOKENS = [
    [], ["a"], ["▁Hello", "▁wor", "ld", "!"], ["▁▁a", "▁", "▁b"], ["hell", "##o", ",", "wor", "##ld", "##", "##s", "'", "s", "do not", "n't", "."],
    ["<0xE4>", "<0xB8>", "<0x80>", "x", "<0xE4>", "<0xB8>", "▁<0x41>", "<0x41>"], ["low</w>", "er", "ing</w>", "x</w>"],
    ["<pad>", "h", "h", "<pad>", "e", "l", "<pad>", "l", "|", "o", "o", ".", "<pad>"], ["Ġthe", "Ċ", "é", "æĹ", "¥", "<|im_end|>", "a b"], ["  x  ", "y xx", "yx"],
]
DECODERS = [
    BYTES, {"type": "ByteFallback"}, {"type": "Fuse"},
    *(METASPACE | {"prepend_scheme": p} for p in ["always", "first", "never"]),
    {"type": "WordPiece", "prefix": "##", "cleanup": True}, {"type": "WordPiece", "prefix": "##", "cleanup": False},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True},
    {"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": False},
    {"type": "Strip", "content": " ", "start": 1, "stop": 1}, {"type": "Strip", "content": "d", "start": 0, "stop": 1},
    {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "Replace", "pattern": {"Regex": "[lo]+"}, "content": "_"},
    {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
                                      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
]


def load(**parts):
    whole = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None, "post_processor": None,
             "decoder": None, "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
    return Tokenizer.from_str(json.dumps(whole | parts))



out = {
    "texts": TEXTS, "tokens": TOKENS,
    "normalizers": [{"step": s, "out": list(map(load(normalizer=s).normalizer.normalize_str, TEXTS))} for s in NORMALIZERS],
    "pre_tokenizers": [{"step": s, "out": [[p for p, _ in load_.pre_tokenizer.pre_tokenize_str(t)] for t in TEXTS]}
                       for s in PRETOKENIZERS for load_ in [load(pre_tokenizer=s)]],
    "decoders": [{"step": s, "out": list(map(load(decoder=s).decoder.decode, TOKENS))} for s in DECODERS],
}
(HERE / "parts.json.gz").write_bytes(gzip.compress(json.dumps(out, ensure_ascii=False, separators=(",", ":")).encode(), mtime=0))
