"""Writes what the real lm-eval makes of texts, filter by filter.

usage: python golden.py FOLDER_OF_ACCURACY_SETS | gzip -n9 > lm-eval.json.gz   (with lm-eval 0.4.13)
Texts of the sets are named by file, row and field and not written; others are.
"""
import json, random, sys
from lm_eval.api.metrics import exact_match_hf_evaluate, mean_stderr
from lm_eval.filters.extraction import MultiChoiceRegexFilter, RegexFilter, WhitespaceFilter
from lm_eval.filters.transformation import LowercaseFilter, MapFilter, UppercaseFilter

ODD = [
    "", " ", "\n\t \u3000", "\x1c\x1d42\x1e\x85", "#### 42", "#### -1,234.50", "####42", "#### 1\n#### 2", "#### ١٢٣", "#### 42.",
    "The answer is 42.", "The answer is -42", "The answer is $1,000.00.", "the answer is (B).", "answer is B", "answer is (b)",
    "The answer is (A) or the answer is (C).", "answer is Blue", "answer is (K)", "The answer is ((D))", "Answer: E", "answer:\n F",
    "$5 and $6,000", "-3", "- 3", "--7", "12,34,567.89", "1.", "1", "..", ",,", "$", "$$", "3.14.15", "¼ ½ ²", "１２３", "٤٥٦", "x=7y",
    "A", "a", "(A)", "(A", "A)", "I am B. Apple", "No letters here", "Option (C), not (D)", "ABC DEF", "A_B", "É B", "B\u0301", "İstanbul",
    "ẞtraße", "ΑΣ ΣΑΣ", "İ", "ﬁ", "ǅ", "yes", "Yes.", "no!", "NO", "maybe", "positive", " negative ", "A\x00", "\x00", "42\x00\x00", "B.", "b", "B!", "(B)",
    "the red one", "The Red One.", "choice: A", ": B", ":  C", "it is Guilty of Romance", "guilty", "Paris, France", "paris", "\ud7ff\ue000", "emoji 👍🏽 B",
    "line\nanswer is (G)\r\n", "answer is\u00a0(H)", "answer is (I", "1,000", "$1000.", "1000", "1e3", "10%", "0.50", ".5", "5.", "<<3*4=12>>12", "A: 18", "no. 7",
    "the answer is 1,000,000 dollars.", "#### $70,000", "#### 5 #### 6", "The answer is 3,.", "[invalid]", "[invalid]B", "\u200bB\u200b", "B\u2028", "Ｂ",
]
RIGHT = ["42", "B", "b", "1000", "It is.\n#### 1,000", "$1,000.", "-3", "yes", "istanbul", "strasse", "", "İ", "i̇", "ας", "G", "(A)", "5", "18"]
SETS = [["Guilty", "Guilty of Romance", "The Red One", "Paris"], ["yes", "no"], ["A", "B (or C)", "x.y*z", " padded "], ["ΑΣ", "İ", "—", "é"]]
GSM8K = {"ignore_case": True, "ignore_punctuation": False, "regexes_to_ignore": [",", "\\$", "(?s).*#### ", "\\.$"]}
MMLU = {"ignore_case": True, "ignore_punctuation": True}


def regex(pattern, **kw):
    return ("regex", {"regex_pattern": pattern, **kw})


WAYS = [
    ("gsm8k strict", [regex("#### (\\-?[0-9\\.\\,]+)")], GSM8K),
    ("gsm8k flexible", [regex("(-?[$0-9.,]{2,})|(-?[0-9]+)", group_select=-1)], GSM8K),
    ("gsm8k cot", [regex("The answer is (\\-?[0-9\\.\\,]+).")], GSM8K),
    ("mmlu_pro", [regex("answer is \\(?([ABCDEFGHIJ])\\)?")], MMLU),
    ("letter", [regex("\\b([A-J])\\b", group_select=-1, fallback="none")], {}),
    ("word", [("remove_whitespace", {}), ("lowercase", {}), regex("^(\\w+)|(\\S+)$")], {"ignore_numbers": True}),
    ("upper", [("uppercase", {}), ("remove_whitespace", {})], {"ignore_case": True}),
    ("map", [("lowercase", {}), ("remove_whitespace", {}), ("map", {"mapping_dict": {"yes": "B", "no": "42", "a": "G"}, "default_value": "5"})], {}),
    ("plain", [], {}), ("no numbers", [], {"ignore_numbers": True, "ignore_punctuation": True, "ignore_case": True}),
    ("spaces", [], {"regexes_to_ignore": ["\\s+", "\\b[Tt]he\\b", "[^\\W\\d_]+$"]}),
    ("choice", [("multi_choice_regex", {"regex_pattern": "(\\([A-Z]\\))", "group_select": 0})], {}),
    ("choice plain", [("multi_choice_regex", {"regex_pattern": "(\\([A-Z]\\))", "group_select": -1, "ignore_case": True, "ignore_punctuation": True, "regexes_to_ignore": ["the "]})], {"ignore_case": True}),
]
KINDS = {"regex": RegexFilter, "multi_choice_regex": MultiChoiceRegexFilter, "remove_whitespace": WhitespaceFilter,
         "lowercase": LowercaseFilter, "uppercase": UppercaseFilter, "map": MapFilter}


def ours(name, filters, metric):
    """The same way of scoring as the journal has it."""
    out = {"name": name, "metric": "exact_match", "filters": []}
    for kind, kw in filters:
        f = {"function": kind, "pattern": kw.get("regex_pattern"), "select": kw.get("group_select"), "fallback": kw.get("fallback"),
             "ignore_case": kw.get("ignore_case"), "ignore_punctuation": kw.get("ignore_punctuation"), "patterns": kw.get("regexes_to_ignore"),
             "map": [list(p) for p in kw["mapping_dict"].items()] if "mapping_dict" in kw else None, "default": kw.get("default_value")}
        out["filters"].append({k: v for k, v in f.items() if v is not None})
    out.update({k: metric[k] for k in ("ignore_case", "ignore_punctuation", "ignore_numbers") if k in metric})
    out["ignore_patterns"] = metric.get("regexes_to_ignore", [])
    return out


def recorded(folder):
    for i, line in enumerate(open(folder + "/mmlu_pro_biology_outputs_llama31_8b_instruct_head100.jsonl")):
        yield {"file": "mmlu", "row": i}, json.loads(line)["generated_text"]
    for i, line in enumerate(open(folder + "/gsm8k_example_model_solutions_head50.jsonl")):
        row = json.loads(line)
        for model in ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"):
            yield {"file": "gsm8k", "row": i, "model": model}, row[model]["solution"]


def main():
    draw = random.Random(1)
    texts = [({"text": t}, t) for t in ODD] + list(recorded(sys.argv[1]))
    out = []
    for name, filters, metric in WAYS:
        way = {"score": ours(name, filters, metric), "cases": []}
        sets = [draw.choice(SETS) for _ in texts]
        got = [[text] for _, text in texts]
        for kind, kw in filters:
            got = list(KINDS[kind](**kw).apply(got, [{"choices": labels} for labels in sets]))
        for (where, _), labels, (answer,) in zip(texts, sets, got):
            gold = [draw.choice(RIGHT + [answer]) for _ in range(draw.randint(1, 3))]
            n = exact_match_hf_evaluate(predictions=[answer] * len(gold), references=gold, **metric)["exact_match"]
            case = {**where, "answer": answer if len(answer) < 200 else None, "gold": gold if max(map(len, gold)) < 200 else None, "right": bool(n > 0), "labels": labels}
            if case["answer"] is None or case["gold"] is None:
                case["gold"], case["right"] = ["B"], bool(exact_match_hf_evaluate(predictions=[answer], references=["B"], **metric)["exact_match"] > 0)
            if not name.startswith("choice"):
                del case["labels"]
            way["cases"].append(case)
        marks = [float(c["right"]) for c in way["cases"]]
        way["mean"], way["stderr"] = sum(marks) / len(marks), mean_stderr(marks)
        out.append(way)
    print("[" + ",\n".join(json.dumps(w, separators=(",", ":"), ensure_ascii=False).replace("},{", "},\n{") for w in out) + "]")


main()
