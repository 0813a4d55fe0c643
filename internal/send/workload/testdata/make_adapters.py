"""Makes adapters.json beside it: which adapter each request of vLLM's own client asks
for. The whole client runs, against a server in this process that only writes down the
model of each request and says that it is done.

Run: HF_HUB_OFFLINE=1 python make_adapters.py TOKENIZER_FOLDER SHAREGPT_FILE > adapters.json
(needs vllm[bench]; the files are only for prompts, whose content does not matter here)
"""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time

from aiohttp import web

import vllm
from vllm.benchmarks import serve

tokenizer, sharegpt = sys.argv[1:3]
lines = "".join(json.dumps({"prompt": f"Tell me of the number {i}."}) + "\n" for i in range(7))
custom = tempfile.NamedTemporaryFile("w", suffix=".jsonl")
custom.write(lines)
custom.flush()

random_set = "--dataset-name random --random-input-len 4 --random-output-len 1"
custom_set = "--dataset-name custom --dataset-path CUSTOM --custom-output-len 1"
sharegpt_set = "--dataset-name sharegpt --dataset-path SHAREGPT --sharegpt-output-len 4"
prefix_set = (
    "--dataset-name prefix_repetition --prefix-repetition-prefix-len 4 --prefix-repetition-suffix-len 4"
    " --prefix-repetition-num-prefixes 3 --prefix-repetition-output-len 1"
)
cases = [
    f"{random_set} --num-prompts 40 --seed 0 --lora-modules a b c",
    f"{random_set} --num-prompts 40 --seed 7 --num-warmups 3 --lora-modules a b c d e",
    f"{random_set} --num-prompts 11 --seed 7 --lora-assignment round-robin --lora-modules a b c",
    f"{random_set} --num-prompts 5 --seed 0 --lora-modules only",
    f"{custom_set} --num-prompts 5 --seed 3 --lora-modules a b c",
    f"{custom_set} --num-prompts 30 --seed 3 --lora-modules a b c",
    f"{custom_set} --num-prompts 30 --seed 3 --no-oversample --lora-modules a b c",
    f"{custom_set} --num-prompts 5 --seed 3 --disable-shuffle --lora-modules a b c",
    f"{sharegpt_set} --num-prompts 30 --seed 5 --lora-modules a b c d e f g",
    f"{prefix_set} --num-prompts 12 --seed 2 --lora-modules a b c",
]


async def capture(flags):
    models = []

    async def complete(request):
        body = await request.json()
        models.append(body["model"])
        text = json.dumps({"choices": [{"text": "x", "index": 0}]})
        usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})
        return web.Response(text=f"data: {text}\n\ndata: {usage}\n\ndata: [DONE]\n\n", content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/completions", complete)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    parser = argparse.ArgumentParser()
    serve.add_cli_args(parser)
    args = flags.replace("CUSTOM", custom.name).replace("SHAREGPT", sharegpt).split()
    args += f"--backend openai --port {port} --model base --tokenizer {tokenizer} --max-concurrency 1 --disable-tqdm --skip-chat-template".split()
    with contextlib.redirect_stdout(sys.stderr):
        await serve.main_async(parser.parse_args(args))
    await runner.cleanup()
    return {"args": flags, "models": " ".join(models)}


result = {
    "from": f"vllm {vllm.__version__}, {time.strftime('%Y-%m-%d')}",
    "file": lines,
    "cases": [asyncio.run(capture(flags)) for flags in cases],
}
json.dump(result, sys.stdout, indent=1)
print()
