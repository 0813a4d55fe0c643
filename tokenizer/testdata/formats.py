"""Makes small tokenizers in formats other than tokenizer.json, and what their own libraries give for them.

pip install tokenizers==0.23.3 sentencepiece==0.2.2 tiktoken==0.14.0 mistral-common==1.13.0 gguf==0.19.0 && python formats.py
"""

import base64
import gzip
import io
import json
import pathlib
import tempfile

import gguf
import sentencepiece
import tiktoken
from mistral_common.tokens.tokenizers.tekken import SpecialTokenPolicy, Tekkenizer
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).parent
OUT = HERE / "formats"
TRAINING = (
    "the server sends a token, then the next token, then the last token of the answer; "
    "the client counts the tokens and the time between them. it's what we're here for. "
)
RULES = "FB00\t66 66\n65 301\tE9\nD\t20\nA\t20\n9\t20\nBD\t31 2044 32\n200B\t\nFF21\t41\n3000\t20\n"
corpus = json.loads(gzip.decompress((HERE / "parity" / "corpus.json.gz").read_bytes()))
TEXTS = [e["s"] for e in corpus if len(e["s"]) < 200][::60] + [
    "", " ", "   ", "the server", " the  server ", "<s>the</s>", "the<sep>token", " <sep> <sep>x", "naïve ﬀ e\u0301 ½", "a\r\nb\n\n  c", "日本語 🤗", "tokens" * 20, "<|endoftext|>the",
]
CL = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
expected = {}


def keep(name, data, encode, decode):
    (OUT / name).write_bytes(data)
    ids = [list(encode(t)) for t in TEXTS]
    expected[name] = {"ids": ids, "decoded": [decode(i) for i in ids]}


def sentence_piece(name, **options):
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as rules:
        rules.write(RULES)
        rules.flush()
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([TRAINING] * 5 + TRAINING.split(" ") * 3), model_writer=model, hard_vocab_limit=False, minloglevel=2,
            normalization_rule_tsv=rules.name, **options)
    p = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    keep(name, model.getvalue(), p.encode, p.decode)
    return p


def ranks():
    """The bytes, then what training joins."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator([TRAINING] * 3, trainers.BpeTrainer(vocab_size=340, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False))
    names = sorted(t.get_vocab(), key=t.get_vocab().get)
    back = {c: b for b, c in alphabet().items()}
    return t, names, {bytes(back[c] for c in n): i for i, n in enumerate(names)}


def alphabet():
    runes, extra = {}, 256
    for b in range(256):
        if 0x21 <= b <= 0x7E or 0xA1 <= b <= 0xAC or b >= 0xAE:
            runes[b] = chr(b)
        else:
            runes[b] = chr(extra)
            extra += 1
    return runes


def write_gguf(path, model, names, kinds, **keys):
    w = gguf.GGUFWriter(path, "llama")
    w.add_tokenizer_model(model)
    w.add_token_list(names)
    w.add_token_types(kinds)
    for key, value in keys.items():
        getattr(w, "add_" + key)(value)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.close()


OUT.mkdir(exist_ok=True)
sentence_piece("unigram.model", vocab_size=120, model_type="unigram", user_defined_symbols=["<sep>"], control_symbols=["<ctl>"])
sentence_piece("bytes.model", vocab_size=400, model_type="bpe", byte_fallback=True, user_defined_symbols=["<sep>"], remove_extra_whitespaces=False)
bpe = sentence_piece("plain.model", vocab_size=100, model_type="bpe", add_dummy_prefix=False, pad_id=3)

t, names, table = ranks()
e = tiktoken.Encoding("cl100k_base", pat_str=CL, mergeable_ranks=table, special_tokens={"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260, "<|endofprompt|>": 100276})
keep("cl100k_base.tiktoken", b"".join(base64.b64encode(k) + b" %d\n" % v for k, v in table.items()), lambda s: e.encode(s, allowed_special="all"), e.decode)

joined = [k for k in table if len(k) > 1]
table = {k: i for i, k in enumerate([bytes([b]) for b in range(256)] + joined)}
tekken = {
    "config": {"pattern": CL, "num_vocab_tokens": len(table), "default_vocab_size": len(table) + 30, "default_num_special_tokens": 30, "version": "v3"},
    "vocab": [{"rank": i, "token_bytes": base64.b64encode(k).decode(), "token_str": None} for k, i in table.items()],
}
(OUT / "tekken.json").write_text(json.dumps(tekken))
k = Tekkenizer.from_file(OUT / "tekken.json")
keep("tekken.json", (OUT / "tekken.json").read_bytes(), lambda s: k.encode(s, bos=False, eos=False), lambda i: k.decode(i, special_token_policy=SpecialTokenPolicy.KEEP))

N, CONTROL = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
merges = [" ".join(m) if not isinstance(m, str) else m for m in json.loads(t.to_str())["model"]["merges"]]
path = OUT / "gpt2.gguf"
write_gguf(path, "gpt2", names + ["<|endoftext|>"], [N] * len(names) + [CONTROL], tokenizer_pre="gpt-2", token_merges=merges, bos_token_id=len(names), eos_token_id=len(names),
           add_bos_token=True, chat_template="{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}")
t.add_special_tokens(["<|endoftext|>"])
t.decoder = decoders.ByteLevel()
keep("gpt2.gguf", path.read_bytes(), lambda s: t.encode(s).ids, lambda i: t.decode(i, skip_special_tokens=False))

(OUT / "expected.json.gz").write_bytes(gzip.compress(json.dumps({"texts": TEXTS, "files": expected}, ensure_ascii=False).encode(), mtime=0))
