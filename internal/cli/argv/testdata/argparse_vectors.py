#!/usr/bin/env python3
"""Writes argparse_vectors.json: what Python's argparse makes of command lines.

Run it once, in this folder, with Python 3.11 or newer:

    python3 argparse_vectors.py > argparse_vectors.json

The flags are declared once more in vectors_test.go. The rule that underscores in
names are dashes, up to the first dot, is not argparse's: it is applied before, as
vllm bench serve does.
"""

import argparse
import json
import random


class Failed(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failed(message)

    def print_help(self, file=None):
        pass


def parser():
    p = Parser(prog="bench", add_help=True)
    p.add_argument("--model")
    p.add_argument("--num-prompts", type=int, default=1000)
    p.add_argument("--num-warmups", type=int, default=0)
    p.add_argument("--request-rate", type=float, default=float("inf"))
    p.add_argument("--custom-output-len", type=int, default=256)
    p.add_argument("--backend", choices=["vllm", "openai", "openai-chat"], default="openai")
    p.add_argument("--ignore-eos", action="store_true")
    p.add_argument("--insecure", action="store_true")
    p.add_argument("--self-timed", action=argparse.BooleanOptionalAction)
    p.add_argument("--header", nargs="*")
    p.add_argument("--goodput", nargs="+")
    p.add_argument("--extra-body", type=json.loads)
    return p


def dashes(args):
    out = []
    for a in args:
        if a.startswith("--"):
            name, eq, value = a[2:].partition("=")
            head, dot, tail = name.partition(".")
            a = "--" + head.replace("_", "-") + dot + tail + eq + value
        out.append(a)
    return out


KINDS = [
    ("ambiguous option", "ambiguous"),
    ("unrecognized arguments", "unknown"),
    ("expected one argument", "no value"),
    ("expected at least one argument", "no value"),
    ("ignored explicit argument", "value not wanted"),
    ("invalid choice", "bad value"),
    ("invalid ", "bad value"),
]


def run(args):
    try:
        got = vars(parser().parse_args(dashes(args)))
    except Failed as e:
        kind = next((k for text, k in KINDS if text in str(e)), None)
        assert kind, str(e)
        return {"args": args, "error": kind}
    except SystemExit:
        return {"args": args, "error": "help"}
    usual = vars(parser().parse_args([]))
    return {"args": args, "values": {k: v for k, v in got.items() if v != usual[k]}}


RULES = """
--model m
--model=m
--model=
--model a=b
--model=a=b
--num_prompts 5
--num_prompts=5
--num-prompts=1_000
--num-prompts +7
--num-prompts 5.0
--num-prompts x
--num-prompts
--num-prompts --model m
--num-p 5
--num_p 5
--num 5
--n 5
--num=5
--mod m
--m m
--request-rate inf
--request-rate Infinity
--request-rate 1e3
--request-rate -1.5
--request-rate -.5
--request-rate x
--req 2
--custom-output-len -1
--custom_output_len=-1
--cust -1
--backend vllm
--backend openai-chat
--backend tgi
--backend=openai
--ignore-eos
--ignore_eos
--ign
--i
--in
--ignore-eos=true
--ignore-eos true
--ignore-eos --insecure
--self-timed
--no-self-timed
--no_self_timed
--self
--no
--no-self-timed=1
--self-timed --no-self-timed
--header
--header a=1
--header a=1 b=2
--header=a=1
--header=a=1 b=2
--header a=1 --model m
--header a=1 --header b=2
--header a=1 --header
--header -1
--header - x
--head a=1
--h a=1
--he a=1
--goodput ttft:100 tpot:5
--goodput
--goodput --model m
--goodput=ttft:1
--extra-body {}
--extra_body={"a_b":1}
--extra-body {
--model m --model n
--num-prompts x --num-prompts 5
--bogus
--bogus 5
--bogus=5
--bogus --num-prompts x
-x
-5
-
stray
--model m stray
--model -- x
-- --model x
--header a=1 -- b=2
-h
--help
--he
--help --bogus
--bogus -h
--model -h
-hx
---model m
--model --
--model ''
--model '-a b'
--model '--a b'
--model '--num b'
--model '--model b'
'--model=a b'
'--header a' x
'--header=a b' c
""".strip().splitlines()

WORDS = [
    "--model", "--model=x", "--num-prompts", "--num_prompts=3", "--num-p", "--num-warmups", "--request-rate",
    "--request_rate=inf", "--custom-output-len", "--backend", "--backend=vllm", "--ignore-eos", "--ignore-eos=1",
    "--insecure", "--ins", "--self-timed", "--no-self-timed", "--header", "--header=k=v", "--goodput", "--good",
    "--extra-body", "--extra_b={}", "--bogus", "--", "-", "-1", "-2.5", "-x", "7", "0.5", "inf", "vllm", "a=b", "t:1", "{}",
    "text", "", "two words", "-two words", "--two words",
]


def main():
    import shlex

    rules = [run(shlex.split(r) if "'" in r else r.split(" ")) for r in RULES]
    rnd = random.Random(0)
    mixed = []
    while len(mixed) < 700:
        args = [rnd.choice(WORDS) for _ in range(rnd.randint(1, 5))]
        if args[-1] == "--":
            continue  # an error in some versions of Python, nothing at all in others and here
        case = run(args)
        # Most mixtures are wrong in some way; keep all that are right and a few of the others.
        if "values" in case or rnd.random() < 0.15:
            mixed.append(case)
    lines = [json.dumps(c) for c in rules + mixed]
    print('{"rules": %d, "cases": [\n%s\n]}' % (len(rules), ",\n".join(lines)))


main()
