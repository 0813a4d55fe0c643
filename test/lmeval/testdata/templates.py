# Renders each template of lm-eval's own tasks with lm-eval's own Jinja2 over made-up rows, and prints a line of JSON for each.
import glob
import json
import os

import lm_eval
import yaml
from jinja2 import meta
from lm_eval.utils import env


class Loader(yaml.CSafeLoader):
    pass


Loader.add_constructor("!function", lambda loader, node: None)
keys = ("doc_to_text", "doc_to_target", "doc_to_choice", "description", "gen_prefix")
templates = set()


def walk(config):
    for key, value in config.items():
        if key in keys and isinstance(value, str):
            templates.add(value)
        elif isinstance(value, dict):
            walk(value)


for file in glob.glob(os.path.join(os.path.dirname(lm_eval.__file__), "tasks", "**", "*.yaml"), recursive=True):
    try:
        walk(yaml.load(open(file, "rb"), Loader=Loader))
    except Exception:
        continue  # not YAML, or no mapping

values = [
    "Ein Text, with 'quotes' & <b>.\nTwo. ",
    ["alpha", "Beta gamma", "c'd"],
    1,
    {"text": ["x", "y"], "label": ["A", "B"], "choices": ["p", "q"], "a": 1},
    2.50,
    True,
    None,
    [{"text": "t0", "label": "A", "a": [1]}, {"text": "t1", "label": "B"}],
    "1",
    "A",
]
for source in sorted(templates):
    try:
        names = sorted(meta.find_undeclared_variables(env.parse(source)))
        template = env.from_string(source)
    except Exception as e:
        print(json.dumps({"template": source, "doc": {}, "error": str(e)}))
        continue
    for k in range(len(values)):
        doc = {name: values[(k + (i if k >= 5 else 0)) % len(values)] for i, name in enumerate(names)}
        case = {"template": source, "doc": doc}
        try:
            case["text"] = template.render(**doc)
        except Exception as e:
            case["error"] = str(e)
        print(json.dumps(case))
