"""Makes the small tokenizers of this folder, and what the reference implementation gives for them."""

import collections
import json
import math
import pathlib

from tokenizers import Tokenizer

HERE = pathlib.Path(__file__).parent
TRAINING = (
    "the server sends a token, then the next token, then the last token of the answer; "
    "the client counts the tokens and the time between them. it's what we're here for. "
    "1234 5678 the the the   there\n\n"
)
CL = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = [
    "", " ", "the", " the", "the server sends a token", "The Server", "it's IT'S we'RE they'll 'tis",
    "1234567", "12 345", "a  b   c", "tabs\t\tand\nlines\r\n\r\n  indented", "end  ", "naïve café", "日本語のテキスト",
    "emoji 🤗 👩‍👩‍👧", "e\u0301 is not é", "\u00a0nbsp\u2003em", "<bos>the<eot>", "the <mask> the", "a<eot>  \n b",
    "word in words", "WORD word_ word.", "x<0x41>y", "\x00\x01\x7f", "½ ² ٣ 五", "…—“”", "▁the ▁", "then then then" * 9,
    "fh fhwf the fh", "servers tokens there 12345 cafés", "x" * 40, "do not, it's the . token !",
]


def byte_alphabet():
    runes, extra = {}, 256
    for b in range(256):
        if 0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or b >= 0xAE:
            runes[b] = chr(b)
        else:
            runes[b] = chr(extra)
            extra += 1
    return runes


def learn(words, count):
    """The most frequent pair first; of equal ones the smaller, so that the result is always the same."""
    words = [list(w) for w in words]
    merges = []
    while len(merges) < count:
        pairs = collections.Counter(p for w in words for p in zip(w, w[1:]))
        if not pairs:
            break
        pair = min(pairs, key=lambda p: (-pairs[p], p))
        merges.append(pair)
        for w in words:
            i = 0
            while i + 1 < len(w):
                if (w[i], w[i + 1]) == pair:
                    w[i : i + 2] = [w[i] + w[i + 1]]
                i += 1
    return merges


def token(id, content, **options):
    base = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": id, "content": content} | base | options


def template(bos, id):
    return {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": bos, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {bos: {"id": bos, "ids": [id], "tokens": [bos]}},
    }


def model(names, merges, **options):
    vocab = {}
    for name in names:
        vocab.setdefault(name, len(vocab))
    for left, right in merges:
        vocab.setdefault(left + right, len(vocab))
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            **options, "vocab": vocab, "merges": [list(m) for m in merges]}


def byte_level():
    spell = byte_alphabet()
    words = [" " + w for w in TRAINING.split(" ")]
    merges = learn(["".join(spell[b] for b in w.encode()) for w in words], 60)
    m = model(spell.values(), merges)
    m["merges"] = [" ".join(p) for p in merges]  # the older spelling
    n = len(m["vocab"])
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [
            token(n, "<bos>"), token(n + 1, "<eot>", rstrip=True), token(n + 2, "<mask>", lstrip=True),
            token(n + 3, "word", single_word=True, special=False), token(n + 4, "é", normalized=True, special=False),
        ],
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": CL}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]},
        "post_processor": template("<bos>", n),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": m,
    }


def rune_level(metaspace):
    words = ["▁" + w for w in TRAINING.split(" ")]
    merges = learn(words, 60)
    names = ["<unk>", "<s>"] + [f"<0x{b:02X}>" for b in range(256)] + sorted(set("".join(words)))
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
    strip = [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
             {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    return {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [token(0, "<unk>"), token(1, "<s>")],
        "normalizer": None if metaspace else {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        "pre_tokenizer": space if metaspace else None,
        "post_processor": template("<s>", 1),
        "decoder": {"type": "Sequence", "decoders": [space, {"type": "ByteFallback"}]} if metaspace
        else {"type": "Sequence", "decoders": strip},
        "model": model(names, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True),
    }


def unigram(fallback):
    """Scores of our own: a longer piece that is more frequent scores more."""
    words = ["▁" + w for w in TRAINING.split(" ")]
    pieces = collections.Counter(w[i:j] for w in words for i in range(len(w)) for j in range(i + 1, min(len(w), i + 6) + 1))
    total = sum(pieces.values())
    best = sorted(pieces, key=lambda p: (-pieces[p] * len(p), p))[:200]
    best += sorted(set("".join(words)) - set(best) - set("fhw"))
    vocab = [["<unk>", 0.0], ["</s>", 0.0]]
    vocab += [[f"<0x{b:02X}>", 0.0] for b in range(256)] if fallback else []
    vocab += [[p, round(math.log(pieces[p] / total), 5)] for p in best]
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    end = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
           "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [token(0, "<unk>"), token(1, "</s>")],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, space]} if fallback else space,
        "post_processor": end, "decoder": space,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": fallback},
    }


def wordpiece():
    words = TRAINING.lower().split()
    parts = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] + sorted(set("".join(words))) + ["##" + c for c in sorted(set("".join(words)) - set("k"))]
    parts += ["the", "token", "##s", "##en", "##er", "serv", "then", "##re", "it", "cafe", "日", "本", "12", "##34", "##5"]
    vocab = {}
    for p in parts:
        vocab.setdefault(p, len(vocab))
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [token(vocab[n], n) for n in parts[:5]],
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 30, "vocab": vocab},
    }


def affixes():
    """BPE with a prefix and a suffix, as GPT-1's and CLIP's have."""
    words = [[c if i == 0 else "@" + c for i, c in enumerate(w)] for w in TRAINING.split()]
    for w in words:
        w[-1] += "</w>"
    names = sorted({c for w in words for c in w} - {"@k"}) + ["<unk>"]
    merges = [m for m in [("t", "@h"), ("th", "@e</w>"), ("th", "@e"), ("@e", "@n</w>"), ("t", "@o"), ("@k", "@en</w>"), ("s", "@e"), ("@o", "@f</w>")] if set(m) <= set(names) | {"th"}]
    m = model(names, [], unk_token="<unk>", continuing_subword_prefix="@", end_of_word_suffix="</w>")
    for left, right in merges:
        m["vocab"].setdefault(left + right[1:], len(m["vocab"]))
    m["merges"] = [list(p) for p in merges]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": {"type": "BPEDecoder", "suffix": "</w>"}, "model": m,
    }


def wordlevel():
    vocab = {w: i for i, w in enumerate(["[UNK]", "<s>", "</s>", *sorted(set(TRAINING.split()))])}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": {"type": "Strip", "strip_left": True, "strip_right": True},
        "pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": " "},
        "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1], "trim_offsets": True, "add_prefix_space": True},
        "decoder": None, "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
    }


SMALL = {
    "bytes": byte_level(), "runes": rune_level(False), "metaspace": rune_level(True), "unigram": unigram(False), "unigram_bytes": unigram(True),
    "wordpiece": wordpiece(), "affixes": affixes(), "wordlevel": wordlevel(),
}
for name, spec in SMALL.items():
    path = HERE / name / "tokenizer.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(spec, ensure_ascii=name == "bytes", indent=1) + "\n")
    t = Tokenizer.from_file(str(path))
    rows = []
    for text in TEXTS:
        ids = t.encode(text, add_special_tokens=False).ids
        rows.append({"text": text, "ids": ids, "special": t.encode(text).ids,
                     "decoded": t.decode(ids, skip_special_tokens=False)})
    lines = ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows)
    (HERE / name / "expected.json").write_text(f"[\n{lines}\n]\n")
