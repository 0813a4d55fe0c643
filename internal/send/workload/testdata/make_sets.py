"""Makes sets/ and sets.json beside it: small sets in the shapes of those that vLLM's client
knows, and the requests that vLLM's own dataset classes make of them.

Run in this folder: HF_HUB_OFFLINE=1 HF_DATASETS_OFFLINE=1 python make_sets.py TOKENIZERS_FOLDER
(needs vllm 0.32.0 with its extra "bench"; the folder is what scripts/tokenizers.sh fills)
"""

import hashlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["HF_DATASETS_CACHE"] = tempfile.mkdtemp()  # what was made of older files is of no use

import datasets as hf
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import vllm
from PIL import Image
from vllm.benchmarks.datasets import datasets as theirs
from vllm.tokenizers import get_tokenizer
from vllm.utils.argparse_utils import FlexibleArgumentParser

root = Path("sets")
tokenizers = {}
dice = random.Random(7)
nouns = "river stone harbour winter letter engine garden number signal bridge copper island ladder mirror orchard".split()
verbs = "carries finds turns holds counts breaks mends draws follows leaves".split()


def words(n):
    return " ".join(dice.choice(nouns if i % 2 == 0 else verbs) for i in range(n))


def put(path):
    path = root / path
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def parquet(path, rows, schema=None, group=300):
    table = pa.Table.from_pylist(rows, schema=schema)
    pq.write_table(table, put(path), row_group_size=group, compression="zstd")


def lines(path, rows):
    put(path).write_text("".join(json.dumps(r) + "\n" for r in rows))


def picture(i, kind):
    mode = "RGBA" if kind == "PNG" and i % 3 == 0 else "RGB"
    color = tuple(dice.randrange(256) for _ in mode)
    image, out = Image.new(mode, (8 + i % 5, 6), color), io.BytesIO()
    image.save(out, format=kind)
    return {"bytes": out.getvalue(), "path": f"{i}.{kind.lower()}"}


def make_text_sets():
    lines("spec_bench/question.jsonl", [
        {"question_id": i, "category": ("math", "writing", "qa")[i % 3], "turns": [f"{i}: {words(6)}?", words(4)]} for i in range(40)])
    for subset in ("qualitative", "throughput_1k"):
        lines(f"speed_bench/{subset}.jsonl", [
            {"category": ("coding", "stem")[i % 2], "messages": [{"role": "user", "content": f"{subset} {i} {words(5)}"}, {"role": "user", "content": "more"}]} for i in range(30)])
    lines("custom/prompts.jsonl", [{"prompt": f"{i} {words(7)}", "output_tokens": 5 + i % 9} for i in range(25)])
    talks = [{"id": str(i), "conversations": [
        {"from": "human", "value": f"{i} {words(1 + i % 20)}"}, {"from": "gpt", "value": words(1 + i % 30)}][: 1 if i % 17 == 3 else 2]} for i in range(120)]
    put("sharegpt/talks.json").write_text(json.dumps(talks))
    put("conversation/train.json").write_text(json.dumps(talks))
    # One shard, more rows than the buffer of a shuffle.
    parquet("mt-bench/data/train-00000-of-00001.parquet", [
        {"question_id": i, "category": "c", "turns": [f"{i} {words(4)}", "and then?"]} for i in range(2650)], group=700)
    # Three shards of different sizes, named by the set's card.
    start = 0
    for shard, n in enumerate((450, 350, 1210)):
        parquet(f"gsm8k/main/test-{shard:05}-of-00003.parquet", [{"question": f"{start + i} {words(4)}", "answer": "#### 1"} for i in range(n)])
        start += n
    parquet("gsm8k/main/train-00000-of-00001.parquet", [{"question": f"t{i} {words(4)}", "answer": "#### 1"} for i in range(9)])
    parquet("gsm8k/socratic/test-00000-of-00001.parquet", [{"question": f"s{i} {words(4)}", "answer": "#### 1"} for i in range(9)])
    put("gsm8k/README.md").write_text("---\nlicense: mit\nconfigs:\n- config_name: main\n  data_files:\n  - split: train\n    path: main/train-*\n"
                                      "  - split: test\n    path: main/test-*\n- config_name: socratic\n  data_files:\n  - split: test\n    path: socratic/test-*\n---\n# a set\n")
    # Twelve shards: more than the buffer reads from side by side.
    for shard in range(12):
        lines(f"instructcoder/data/train-{shard:05}-of-00012.jsonl", [
            {"instruction": f"{shard}/{i} {words(3)}.", "input": f"def f{i}():\n    return {shard}", "output": "x"} for i in range(130 + shard)])
    parquet("humaneval/openai_humaneval/test-00000-of-00001.parquet", [{"task_id": f"t/{i}", "prompt": f"def f{i}(x):\n    \"\"\"{words(5)}\"\"\"\n"} for i in range(30)])
    for shard in range(2):  # arrays are interleaved row by row
        put(f"aimo/data/train-{shard:05}-of-00002.json").write_text(json.dumps([
            {"problem": f"{shard}/{i} {words(i % 12)}", "solution": words(1 + i % 20)} for i in range(560)]))
    lines("zeta/train.jsonl", [
        {"events": f"User edited {i}", "input": words(5), "output": f"before\n{'<|editable_region_start|>' if i % 5 else ''}{words(6)}é"} for i in range(25)])
    parquet("mlperf/data/train-00000-of-00001.parquet", [
        {"system_prompt": f"You are {words(2)}.", "question": f"{i} {words(i % 30)}", "output": words(i % 20)} for i in range(80)])
    pd.DataFrame([{"code": f"x = {i}\ny = \"{words(2)}, and\"\n", "change_request": words(5), "norm_distance": (i % 10) / 10} for i in range(50)]).to_csv(
        put("blazedit/train.csv"), index=False)
    put("mmvu/validation.json").write_text(json.dumps([
        {"question": f"{i} {words(4)}?", "choices": {k: words(1) for k in "ABCDE"},
         "video": f"https://huggingface.co/datasets/yale-nlp/MMVU/resolve/main/videos/{i}.mp4"} for i in range(12)]))
    for category, n in (("simple", 9), ("live_simple", 4), ("multiple", 6)):
        lines(f"bfcl/BFCL_v3_{category}.json", [
            {"id": f"{category}_{i}", "question": [] if i == 2 else [[{"role": "system", "content": "Be brief."}][: i % 2] + [{"role": "user", "content": f"{category} {i} {words(4)} é"}]],
             "function": [{"name": f"f.{i}", "description": words(3), "parameters": {"type": "dict", "properties": {
                 "type": {"type": "string", "default": 1.50}, "b": {"type": "float", "enum": [1, 2.0, 1e5]}, "c": {"type": "tuple", "items": {"type": "any"}}}, "required": ["b"]}}]} for i in range(n)])


def make_picture_sets():
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    message = pa.struct([("role", pa.string()), ("content", pa.string())])
    talk = lambda i: [[{"role": "user", "content": f"{i} {words(3)}"}], [{"role": "assistant", "content": words(2)}]]
    for folder, column in (("visionarena", "conversation"), ("visionbench", "turns")):
        schema = pa.schema([("images", pa.list_(image)), (column, pa.list_(pa.list_(message))), ("language", pa.string())])
        parquet(f"{folder}/data/train-00000-of-00001.parquet", [
            {"images": [picture(i, "PNG")] * (1 + i % 2), column: talk(i), "language": "en"} for i in range(20)], schema, 8)
    schema = pa.schema([("index", pa.int64()), ("question", pa.string()), ("image", image)])
    parquet("mmstar/val.parquet", [
        {"index": i, "question": f" {i} {words(4)}\nOptions: A: x, B: y", "image": picture(i, "JPEG")} for i in range(20)], schema, 8)
    put("mmstar/README.md").write_text("---\nconfigs:\n- config_name: val\n  data_files:\n  - split: val\n    path: val.parquet\n---\n")
    schema = pa.schema([("id", pa.string()), ("image", image), ("conversations", pa.list_(pa.struct([("from", pa.string()), ("value", pa.string())])))])
    parquet("llava/part(cauldron)/train-00000-of-00001.parquet", [
        {"id": str(i), "image": picture(i, "JPEG"), "conversations": [{"from": "human", "value": f"<image>\n{i} {words(5)}"}, {"from": "gpt", "value": words(5)}][: 1 + i % 4]}
        for i in range(24)], schema, 8)
    put("llava/README.md").write_text("---\nconfigs:\n- config_name: part(cauldron)\n  data_files: part(cauldron)/train-*\n---\n")


class Hub:
    """Finds in sets/ what would be downloaded."""

    def hf_hub_download(self, path, filename, repo_type):
        return str(Path(path) / filename)

    def snapshot_download(self, name, repo_type):
        return str(Path("sets/mmvu"))


aliases = {"vdaita/edit_5k_char": "sets/blazedit"}  # vLLM knows it by its path alone
real_load = theirs.load_dataset


def load_dataset(path, trust_remote_code=False, **more):
    return real_load(aliases.get(path, path), **more)


theirs.load_dataset, theirs.hf_api = load_dataset, Hub
real_image, originals = theirs.process_image, {}


def process_image(image, **more):
    """The part as vLLM makes it, and the bytes that it was made of."""
    part = real_image(image, **more)
    originals[part["image_url"]["url"]] = hashlib.sha256(original(image)).hexdigest()[:16]
    return part


def original(image):
    if isinstance(image, dict):
        return image["bytes"]
    raise TypeError(type(image))


theirs.process_image = process_image


def digest(value):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def media(part):
    if part is None:
        return ""
    if part["type"] == "video_url":
        return digest(part["video_url"]["url"])
    return originals[part["image_url"]["url"]]


def rows_of(args):
    name = args.tokenizer
    if name not in tokenizers:
        tokenizers[name] = get_tokenizer(f"{folder}/{name}")
    for r in theirs.get_samples(args, tokenizers[name]):
        row = [digest(r.prompt), r.prompt_len, r.expected_output_len, media(r.multi_modal_data)]
        if r.chat_messages is not None:
            row += [digest(r.chat_messages), digest(r.request_overrides)]
        yield row


def capture(line):
    parser = FlexibleArgumentParser()
    theirs.add_dataset_parser(parser)
    parser.add_argument("--tokenizer")
    parser.add_argument("--backend", default="openai")
    argv = line.split()
    if "vdaita/edit_5k_char" in argv:
        argv = [a if a != "sets/blazedit" else "vdaita/edit_5k_char" for a in argv]
    rows = list(rows_of(parser.parse_args(argv)))
    text = "\n".join(" ".join(map(str, r)) for r in rows)
    return {"args": line, "requests": len(rows), "all_sha256": hashlib.sha256(text.encode()).hexdigest(), "rows": rows[:6] + (rows[-3:] if len(rows) > 9 else rows[6:])}


qwen, llama = "--tokenizer qwen2_5", "--tokenizer llama3_1"
hfs = lambda folder, name: f"--dataset-name hf --dataset-path sets/{folder} --hf-name {name}"
spec, speed = "--dataset-name spec_bench --dataset-path sets/spec_bench/question.jsonl", "--dataset-name speed_bench --dataset-path sets/speed_bench"
commands = [
    f"{spec} {qwen} --num-prompts 60 --seed 5",
    f"{spec} {qwen} --num-prompts 10 --spec-bench-category math --spec-bench-output-len 33",
    f"{spec} {llama} --num-prompts 60 --no-oversample --disable-shuffle",
    f"{speed} {qwen} --num-prompts 20 --seed 3",
    f"{speed} {llama} --num-prompts 40 --speed-bench-dataset-subset throughput_1k --speed-bench-category stem --speed-bench-output-len 7 --skip-chat-template",
    f"--dataset-name custom --dataset-path sets/custom/prompts.jsonl {qwen} --num-prompts 40 --seed 2 --custom-output-len -1",
    f"--dataset-name sharegpt --dataset-path sets/sharegpt/talks.json {llama} --num-prompts 100 --seed 4",
    f"{hfs('mt-bench', 'philschmid/mt-bench')} {qwen} --num-prompts 2000 --seed 1",
    f"{hfs('mt-bench', 'philschmid/mt-bench')} {qwen} --num-prompts 2700 --seed 1 --skip-chat-template --hf-output-len 5",
    f"{hfs('mt-bench', 'philschmid/mt-bench')} {qwen} --num-prompts 300 --seed 9 --no-stream",
    f"{hfs('mt-bench', 'philschmid/mt-bench')} {llama} --num-prompts 30 --disable-shuffle",
    f"{hfs('gsm8k', 'openai/gsm8k')} {qwen} --num-prompts 2010 --seed 42",
    f"{hfs('gsm8k', 'openai/gsm8k')} {qwen} --num-prompts 700 --seed 42 --no-stream",
    f"{hfs('gsm8k', 'openai/gsm8k')} {qwen} --num-prompts 12 --hf-subset socratic",
    f"{hfs('instructcoder', 'likaixin/InstructCoder')} {qwen} --num-prompts 1600 --seed 6",
    f"{hfs('humaneval', 'openai/openai_humaneval')} {qwen} --num-prompts 40 --seed 8",
    f"{hfs('aimo', 'AI-MO/NuminaMath-CoT')} {qwen} --num-prompts 1000 --seed 2",
    f"{hfs('aimo', 'AI-MO/aimo-validation-aime')} {llama} --num-prompts 60 --seed 2 --hf-output-len 40 --no-stream",
    f"{hfs('zeta', 'zed-industries/zeta')} {qwen} --num-prompts 20 --seed 3 --hf-output-len 9",
    f"{hfs('mlperf', 'mgoin/mlperf-inference-llama3.1-data')} {qwen} --num-prompts 40 --seed 3",
    f"{hfs('mlperf', 'mgoin/mlperf-inference-llama2-data')} {llama} --num-prompts 40 --seed 3 --hf-output-len 60",
    f"{hfs('blazedit', 'vdaita/edit_5k_char')} {qwen} --num-prompts 10 --seed 3 --blazedit-min-distance 0.2 --blazedit-max-distance 0.6",
    f"{hfs('conversation', 'Aeala/ShareGPT_Vicuna_unfiltered')} {qwen} --hf-split train --num-prompts 50 --seed 3",
    f"{hfs('conversation', 'Aeala/ShareGPT_Vicuna_unfiltered')} {llama} --hf-split train --num-prompts 150 --seed 3 --hf-output-len 11",
    f"{hfs('visionarena', 'lmarena-ai/VisionArena-Chat')} {qwen} --backend openai-chat --num-prompts 25 --seed 3",
    f"{hfs('visionbench', 'lmarena-ai/vision-arena-bench-v0.1')} {qwen} --backend openai-chat --num-prompts 15 --seed 3",
    f"{hfs('mmstar', 'Lin-Chen/MMStar')} {llama} --backend openai-chat --num-prompts 15 --seed 3 --hf-output-len 3",
    f"{hfs('llava', 'lmms-lab/LLaVA-OneVision-Data')} {qwen} --backend openai-chat --num-prompts 12 --seed 3 --hf-subset part(cauldron) --hf-split train",
    f"{hfs('mmvu', 'yale-nlp/MMVU')} {qwen} --backend openai-chat --num-prompts 12 --seed 3",
    f"{hfs('bfcl', 'gorilla-llm/Berkeley-Function-Calling-Leaderboard')} {qwen} --backend openai-chat --num-prompts 20 --seed 3",
    f"{hfs('bfcl', 'gorilla-llm/Berkeley-Function-Calling-Leaderboard')} {qwen} --backend openai-chat --num-prompts 8 --disable-shuffle --bfcl-categories multiple,simple",
]

if __name__ == "__main__":
    folder = sys.argv[1]
    shutil.rmtree(root, ignore_errors=True)
    make_text_sets()
    make_picture_sets()
    cases = []
    for line in commands:
        print(line, file=sys.stderr)
        cases.append(capture(line))
    made_with = f"vllm {vllm.__version__}, datasets {hf.__version__}, NumPy {np.__version__}, pandas {pd.__version__}"
    Path("sets.json").write_text(json.dumps({"made_with": made_with, "cases": cases}, indent=0) + "\n")
