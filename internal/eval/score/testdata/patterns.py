"""Writes patterns.json: what findall and sub of Python's re make of patterns and texts.

usage: python3.11 patterns.py > patterns.json
"""
import json, random, re, warnings

warnings.simplefilter("ignore")
PATTERNS = [
    r"(?P<n>\d+)(\w)(?P=n)?", r"(a)|(?P<b>b)|(c)", r"a*", r"|a", r"a|", r"\b", r"\B", r"^", r"$", r"(?m)^", r"(?m)$", r"\Z", r"\A\w", r"x*$", r"(?s).*#### ", r".+",
    r"(?i)straße|ß|ſ|k", r"\w+", r"\W+", r"\s+", r"\S+", r"\d", r"\D", r"[^\W\d_]+", r"[\s\d]+", r"[^\S\n]+", r"[]a]+", r"[^]a]+", r"[a\]-]+", r"[[a]+", r"[a-z&&b]+",
    r"a{,2}", r"a{2}", r"a{1,}", r"a{", r"a{,}", r"{", r"a{x}", r"}]", r"\_\-\ \#", r"\x41|\u00e9|\101|\0", r"(a)(?(1)b|c)", r"(?P<x>a)?(?(x)b|c)", r"(?:a|b)+?", r"(?>a+)b|a",
    r"a++b|a", r"(?#note)a", r"(?x) a  b # c", r"(?a)\w+", r"(?a)\b\d", r"(?i:A)b", r"(?-i:a)", r"(?<=a)b", r"(?<!a)b", r"a(?=b)", r"a(?!b)", r"((a)|b)*", r"(a*)*", r"(a|b)*?c",
    r"([A-J])\b(?!.*\b[A-J]\b)", r"(\()?\w(?(1)\))", r"[\b]", r"\t|\n|\r", r"(?u)\w", r"[à-ü]", r"(?i)[À-Ü]+", r"(?i)ΑΣ", r"\.$", r"(a)\1", r"(?:(a)|b)*\1", r"[\w-]+", r"[+-]?\d+",
    # refused by Python
    r"(?<n>a)", r"\z", r"\p{L}", r"\k<n>", r"(", r")", r"[", r"a**", r"*a", r"(?P<n>a)(?P<n>b)", r"\1(a)", r"(a\1)", r"[z-a]", r"[\d-z]", r"a(?i)b", r"(?L)a", r"\Q", r"a{3,2}", r"(?P=q)",
    r"(?'n'a)", r"\xg1", r"\u12", r"(?(2)a)", r"(?i", r"(?P<1>a)", r"(?y)", "\\", r"\8", r"\400", r"[\Z]",
]
TEXTS = ["", "a", "aab", "abcabc", "baac", "a\nb\n", "Straße STRASSE ſ K", "x1 22 333a3", "é É e\u0301 \u0301", "\x1c \x85\xa0\u2028\u200b", "٣ ½ ² Ⅷ 一 _", "A_B (C) [D] {2} a-b #", "à Ü ç ς Σ σ",
         "#### 1\n#### 2", "👍 a👍", "aaaa bb\tcc\r\n", "a{ a{x} a{,2}", "(a) (b", "𝒜𝟙", "ab\x08\x00", "abab cac", "A. B, C"]
ATOMS = ["a", "b", ".", r"\w", r"\d", r"\b", r"\s", "[ab]", "[^a]", "(a)", "(b|)", "(?:ab)", "(a|b)", "^", "$", r"\B", "(?=a)", "(?!b)", "é", "(a*)", r"\W", "[^\\W\\d]"]
SUFFIX = ["", "", "", "*", "+", "?", "*?", "+?", "??", "{,2}", "{2}", "{1,2}?"]


def made(draw):
    return "|".join("".join(draw.choice(ATOMS) + draw.choice(SUFFIX) for _ in range(draw.randint(1, 4))) for _ in range(draw.choice([1, 1, 2])))


def cases():
    draw = random.Random(7)
    for p in PATTERNS:
        yield p, draw.sample(TEXTS, 12)
    for _ in range(400):
        yield made(draw), ["".join(draw.choice("aab bé1_\n👍") for _ in range(draw.randint(0, 9))) for _ in range(3)]


out = []
for pattern, texts in cases():
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError):
        out.append({"pattern": pattern, "refused": True})
        continue
    found = [{"text": t, "all": [list(m) if isinstance(m, tuple) else [m] for m in compiled.findall(t)], "rest": compiled.sub("", t)} for t in texts]
    out.append({"pattern": pattern, "texts": found})
print("[" + ",\n".join(json.dumps(o, separators=(",", ":")) for o in out) + "]")
