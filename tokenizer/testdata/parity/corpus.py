"""Writes corpus.json.gz: 4,686 texts of eleven classes, on which tokenizers are compared.

English and code are cut from this repository's own documents and sources at one commit, and from Shakespeare's sonnets; all
else is written or drawn here. The same commit gives the same bytes. After a change of it write the digests anew:
digests.py and formats.py of this folder, parts.py and formats.py of the one above. python corpus.py [FILE]
"""

import gzip
import json
import pathlib
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
rng = random.Random(20261116)


def git(*args):
    return subprocess.run(["git", "-C", str(HERE), *args], check=True, capture_output=True).stdout.decode()


def sources(commit, patterns, but=()):
    names = git("ls-tree", "-r", "--name-only", "--full-tree", commit).splitlines()
    chosen = [n for n in names if any(pathlib.PurePath(n).match(p) for p in patterns) and not any(b in n for b in but)]
    return [git("show", f"{commit}:{n}") for n in sorted(chosen)]


def cuts(texts, count, longest):
    """Pieces of texts from anywhere, in the middle of words too: short ones more often than long ones."""
    for _ in range(count):
        text = rng.choice(texts)
        size = min(len(text), int(8 * (longest / 8) ** rng.random()))
        at = rng.randrange(len(text) - size + 1)
        yield text[at : at + size]


COMMIT = "68115f53306cc083a466d1fd7a4a8e30c23a2fa4"
# Notes of other people are quoted in field-notes.md, other people's words and programs are in testdata and uplot.
ENGLISH = sources(COMMIT, ["docs/*.md", "docs/*/*.md", "ARCHITECTURE.md", "README.md", "internal/send/workload/text/sonnet.txt"], but=["field-notes", "testdata"])
CODE = sources(COMMIT, ["*.go", "*.py", "*.sh", "*.js", "*.css", "*.yaml", "*.yml"], but=["testdata", "uplot", "third"])
WORDS = sorted({w for t in ENGLISH for w in t.split() if len(w) < 16})

PHRASES = [
    "Der Zähler läuft, sobald das erste Wort fällt.", "Füße, Größe, Übermaß", "Où est passée la file d'attente, déjà ?", "¿Cuántas palabras por segundo, señor?",
    "Não há medição sem relógio.", "Il primo gettone arriva tardi, perché?", "Hoe laat is het, vóór of na één?", "Blåbærsyltetøy på brødet", "Vem räknar orden åt oss?",
    "Zażółć gęślą jaźń", "Příliš žluťoučký kůň", "Hány szó fér egy másodpercbe?", "İstanbul'da ırmak ölçülür", "Có bao nhiêu từ mỗi giây?", "Сколько слов в секунду?", "Скільки слів за мить?",
    "Πόσες λέξεις το δευτερόλεπτο;", "Քանի՞ բառ է մեկ վայրկյանում", "რამდენი სიტყვა წამში?", "כמה מילים בשנייה?", "كم كلمة في الثانية؟", "چند واژه در ثانیه؟", "एक पल में कितने शब्द?", "এক সেকেন্ডে কত শব্দ?",
    "ஒரு நொடியில் எத்தனை சொற்கள்?", "ఒక క్షణంలో ఎన్ని పదాలు?", "ഒരു നിമിഷത്തിൽ എത്ര വാക്കുകൾ?", "กี่คำต่อวินาที", "ຈັກຄຳຕໍ່ວິນາທີ", "တစ်စက္ကန့်လျှင် စကားလုံး", "ប៉ុន្មានពាក្យ", "በሴኮንድ ስንት ቃላት",
    "一秒钟能说几个字？", "服務器的時鐘走得準嗎？", "一秒に何文字ですか。", "サーバーの時計は正しい", "１秒に１０語、ﾊﾝｶｸも", "일 초에 몇 단어입니까?", "서버가 느립니다.", "ﬁ ﬂ ﬃ ß ẞ", "Å Å é é", "①②③ ½ ¼ ² ³ Ⅷ ㎏", "ＡＢＣ１２３　全角",
]
EMOJI = [
    "😀", "🚀", "🔥", "🤖", "⚡", "☃", "❤️", "👍🏽", "👩🏻‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇯🇵", "🇪🇺", "1️⃣", "✅", "™", "©", "®", "→", "⇒", "↦", "∑", "√", "≠", "𝔘𝔫𝔦", "𝟘𝟙", "🜁", "\u200b", "\u200d", "\ufeff",
]
SPACES = [" ", "  ", "    ", "\t", "\t\t", "\n", "\n\n", "\r\n", "\r", "\v", "\f", "\x85", "\xa0", "\u2003", "\u2009", "\u2028", "\u2029", "\u3000", "\u1680", "\u200b", " \n", "\n ", "\t \n"]
SPECIAL = [
    "<s>", "</s>", "<unk>", "<pad>", "<bos>", "<eos>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
    "[INST]", "[/INST]", "<start_of_turn>", "<end_of_turn>", "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>",
    "<think>", "</think>", "<tool_call>", "</tool_call>", "<|fim_prefix|>", "<|fim_middle|>", "<META>", "<0x0A>", "▁", "[gMASK]", "<|user|>", "\n\nHuman:", "\n\nAssistant:",
]
EDGE = [
    "", " ", "\n", "a", " a", "a ", " a ", "I'm", "I'LL", "don't", "DON'T", "we've", "ſ's'S", "'tis", "it'ſ", "they'RE", "o'clock", "''s", "'S'T'RE", "TwoWords", "HTTPServer", "snake_case", "SHOUT", "aBcDe", "v1.2.3-rc.1",
    "x=y+1", "#!/bin/sh", "////", "----", "====", "..!!??", "**fat**", "(a)(b)", "a,b;c:d", "<p>", "</p>", "{{x}}", "\\n\\t", "C:\\dir\\file", "http://a.b/c?d=e&f=g#h", "a@b.example", "Ⅷ's", "日's", "▁", "▁▁", "a▁b", " ▁",
    "<s>", " <s> ", "a<s>b", "<s><s>", "  <bos>  ", "<|im_start|> <|im_end|>", "<|im_start|>user\nhello<|im_end|>", "[INST] hello [/INST]", "<start_of_turn>user\nhello<end_of_turn>\n", "x <|eot_id|> y",
    "<think>x</think>", "<0x41>", "<0xFF>", "\ufffd", "\ud7ff\ue000", "\U0010ffff", "e\u0301", "\u1112\u1161\u11ab", "a\u0000b",
]


def joined(pools, most, glue=("", "", "", " ")):
    """Some words of the pools, one after the other."""
    return "".join(rng.choice(rng.choice(pools)) + rng.choice(glue) for _ in range(rng.randint(1, most)))


def number():
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 14)))
    return rng.choice([digits, f"{int(digits):,}", digits[:3] + "." + digits[3:], "-" + digits, "$" + digits, digits + "%", "0x" + digits, digits[:2] + ":" + digits[2:4], digits + "e-7", "٣" + digits])


def anything():
    """A code point that is not a surrogate, of every size in UTF-8, also one that nobody has assigned."""
    return chr(rng.choice([rng.randint(0x20, 0x7F), rng.randint(0x80, 0x7FF), rng.randint(0x800, 0xD7FF), rng.randint(0xE000, 0xFFFF), rng.randint(0x10000, 0x2FFFF)]))


CONTROL = [chr(c) for c in [*range(0x20), *range(0x7F, 0xA0)]]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
classes = {
    "english": list(cuts(ENGLISH, 700, 2400)),
    "code": list(cuts(CODE, 800, 3600)),
    "multiling": [joined([PHRASES], 3, ("", " ", ", ", "\n")) for _ in range(471)],
    "emoji": [joined([EMOJI, EMOJI, WORDS, PHRASES], 12) for _ in range(511)],
    "whitespace": [joined([SPACES, SPACES, SPACES, WORDS], 20, ("",)) for _ in range(634)],
    "control": [joined([CONTROL, CONTROL, WORDS], 16, ("",)) for _ in range(399)],
    "randuni": ["".join(anything() for _ in range(rng.randint(1, 40))) for _ in range(400)],
    "digits": [rng.choice(["", " ", ", "]).join(rng.choice([number(), number(), rng.choice(WORDS)]) for _ in range(rng.randint(1, 8))) for _ in range(299)],
    "edge": EDGE,
    "special": [joined([SPECIAL, SPECIAL, SPACES, WORDS, PHRASES], 7, ("", "", " ")) for _ in range(382)],
    "long": [t[:n] for n in (1000, 5000, 20000) for t in ("a" * n, "ab " * n, "中" * n, " " * n, "-" * n, "1" * n, "😀" * (n // 4), "".join(rng.choice(LETTERS) for _ in range(n)))],
}
corpus = [{"c": c, "s": s} for c, texts in classes.items() for s in texts]
pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "corpus.json.gz").write_bytes(gzip.compress(json.dumps(corpus, ensure_ascii=False).encode(), 9, mtime=0))
for c, texts in classes.items():
    print(f"{c:10} {len(texts):5} texts, {sum(map(len, texts)):8} characters")
print(f"{'all':10} {len(corpus):5} texts")
