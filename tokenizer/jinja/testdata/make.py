"""Renders the cases of this folder with Jinja2, set up as transformers does it, and keeps the results.

    pip install jinja2==3.1.6
    python make.py [folder with a tokenizer_config.json for each family]

expressions.json: small templates, one feature each, with their text or that they fail.
strftime.json:    what Python's strftime makes of some times, on Linux and in the C locale.
renderings.json:  conversations.json by the chat templates of the families. The templates and what they
                  make are their owners': only the SHA-256 of a text is kept, or that it fails.
"""

import datetime
import hashlib
import json
import os
import sys

from jinja2 import TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from expressions import CASES, VALUES

HERE = os.path.dirname(os.path.abspath(__file__))


class Generation(Extension):
    """The block that transformers adds: here only what stands in it counts."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def raise_exception(message):
    raise TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    return env


def render(template, values):
    """Gives the text, or None if it fails."""
    try:
        return environment().from_string(template).render(**values)
    except Exception:
        return None


def write(name, value):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as f:
        json.dump(value, f, ensure_ascii=False, indent=1)
        f.write("\n")


def expressions():
    rows = []
    for template in CASES:
        text = render(template, VALUES)
        rows.append({"template": template, "fails": True} if text is None else {"template": template, "text": text})
    write("expressions.json", {"values": VALUES, "cases": rows})
    print(len(rows), "expressions,", sum("fails" in r for r in rows), "of them fail")


def times():
    formats = ["%" + letter for letter in "aAbBcdDefFgGhHIjklmMnprRStTuUVwWxXyYzZC%"]
    formats = [f for f in formats if f != "%g"] + ["%-d %-m %-I %-H %-M %-S %-j", "%d %b %Y", "%B %d, %Y", "%Y-%m-%d", "day: %e."]
    rows = []
    for text in ("2026-11-15T00:00:00", "2024-01-01T12:05:09", "2024-02-29T13:00:00", "2021-01-03T00:30:59", "2020-12-31T23:59:59.123456", "2023-07-09T01:02:03"):
        t = datetime.datetime.fromisoformat(text)
        rows.append({"time": text, "texts": {f: t.strftime(f) for f in formats}})
    write("strftime.json", rows)


def templates(folder):
    for family in sorted(os.listdir(folder)):
        path = os.path.join(folder, family, "tokenizer_config.json")
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as f:
            config = json.load(f)
        tokens = {}
        for name in ("bos_token", "eos_token", "unk_token", "pad_token"):
            token = config.get(name)
            token = token["content"] if isinstance(token, dict) else token
            if token:
                tokens[name] = token
        template = config.get("chat_template") or []
        if isinstance(template, str):
            yield family, template, tokens
        else:
            for one in template:
                yield family + "/" + one["name"], one["template"], tokens


def renderings(folder):
    with open(os.path.join(HERE, "conversations.json"), encoding="utf-8") as f:
        conversations = json.load(f)
    result = {}
    for name, template, tokens in templates(folder):
        result[name] = {"template": hashlib.sha256(template.encode()).hexdigest()}
        for title, conversation in conversations.items():
            values = {"tools": None, "documents": None, "add_generation_prompt": False, **tokens, **conversation}
            text = render(template, values)
            result[name][title] = "fails" if text is None else hashlib.sha256(text.encode()).hexdigest()
    write("renderings.json", result)
    print(len(result), "templates,", len(conversations), "conversations")


if __name__ == "__main__":
    expressions()
    times()
    if len(sys.argv) > 1:
        renderings(sys.argv[1])
