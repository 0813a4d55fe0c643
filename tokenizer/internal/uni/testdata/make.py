"""Writes unicode.json.gz: what the libraries under Hugging Face's tokenizers know of each code point.

Each has tables of its own version of Unicode. pip install tokenizers==0.23.3 && python make.py (a minute)
"""

import gzip
import json
import pathlib

from tokenizers import Regex, normalizers, pre_tokenizers

POINTS = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]
TEXT = "".join(map(chr, POINTS))


def ranges(points):
    out = []
    for c in sorted(points):
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def changed(normalizer):
    pairs = ((c, normalizer.normalize_str(chr(c))) for c in POINTS)
    return {c: text for c, text in pairs if text != chr(c)}


def removed(normalizer):
    return ranges(c for c, text in changed(normalizer).items() if text == "")


def pattern(p):
    return ranges(map(ord, normalizers.Replace(Regex(p), "").normalize_str(TEXT)))


def bert(**on):
    options = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    return normalizers.BertNormalizer(**(options | on))


whitespace = pre_tokenizers.Whitespace()
punctuation = pre_tokenizers.Punctuation()
digits = pre_tokenizers.Digits(individual_digits=True)
tables = {
    # Oniguruma, which runs the patterns of a tokenizer.json
    "patterns": {n: pattern(r"[^\p{%s}]" % n) for n in ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "N", "Nd", "P", "S", "Han"]},
    # Rust's own, and three crates
    "lower": {str(c): text for c, text in changed(normalizers.Lowercase()).items()},
    "mark": removed(normalizers.StripAccents()),
    "bert_mark": removed(bert(strip_accents=True)),
    "bert_removed": removed(bert(clean_text=True)),
    "bert_space": ranges(c for c, text in changed(bert(clean_text=True)).items() if text == " "),
    "decomposable": ranges(changed(normalizers.NFKD())),
    "punctuation": ranges(c for c in POINTS if len(punctuation.pre_tokenize_str("A" + chr(c))) > 1),
    "number": ranges(c for c in POINTS if len(digits.pre_tokenize_str("A" + chr(c))) > 1),
    "word": ranges(c for c in POINTS if [t for t, _ in whitespace.pre_tokenize_str(chr(c) + "A")] == [chr(c) + "A"]),
    "space": ranges(c for c in POINTS if normalizers.Strip().normalize_str(chr(c)) == ""),
}
path = pathlib.Path(__file__).parent / "unicode.json.gz"
path.write_bytes(gzip.compress(json.dumps(tables, separators=(",", ":")).encode(), mtime=0))
