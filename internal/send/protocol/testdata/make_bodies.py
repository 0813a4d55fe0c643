"""Makes bodies.json beside it: what the request functions of vLLM's own client send to a
server that only writes down what it gets.

Run: HF_HUB_OFFLINE=1 PYTHON make_bodies.py [FOLDER_WITH_SOUNDFILE] > bodies.json
(PYTHON is that of an installation of vLLM; without its audio extra, soundfile is taken from the folder)
"""

import asyncio
import json
import sys

out, sys.stdout = sys.stdout, sys.stderr

import aiohttp
import numpy as np
from aiohttp import web
from vllm import __version__
from vllm.benchmarks.lib.endpoint_request_func import ASYNC_REQUEST_FUNCS, RequestFuncInput

sys.path.extend(sys.argv[1:])
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}}
OTHER = {"type": "image_url", "image_url": {"url": "data:image/png;base64,BBBB"}}
SOUND = np.array([0.0, 0.5, -0.5, 1.0, -1.0, 0.25, -0.125])

cases = [
    ("openai-embeddings", "/v1/embeddings", {"prompt": "a text"}),
    ("openai-embeddings", "/v1/embeddings", {"prompt": ["one", "two"], "extra_body": {"encoding_format": "float", "model": "x"}}),
    ("openai-embeddings", "/v1/embeddings", {"prompt": "é", "ignore_eos": True}),
    ("openai-embeddings-chat", "/v1/embeddings", {"prompt": "a text"}),
    ("openai-embeddings-chat", "/v1/embeddings", {"prompt": "a text", "multi_modal_content": IMAGE}),
    ("openai-embeddings-clip", "/v1/embeddings", {"prompt": "a text"}),
    ("openai-embeddings-clip", "/v1/embeddings", {"prompt": "a text", "multi_modal_content": [IMAGE, OTHER]}),
    ("openai-embeddings-vlm2vec", "/v1/embeddings", {"prompt": "a text", "request_id": "p-3"}),
    ("openai-embeddings-vlm2vec", "/v1/embeddings", {"prompt": "a text", "multi_modal_content": IMAGE, "request_id": "p-4"}),
    ("openai-embeddings-vlm2vec", "/v1/embeddings", {"prompt": "a text", "multi_modal_content": IMAGE, "request_id": "p-5"}),
    ("openai-embeddings-vlm2vec", "/v1/embeddings", {"prompt": "a text", "multi_modal_content": IMAGE}),
    ("infinity-embeddings", "/embeddings", {"prompt": "a text"}),
    ("infinity-embeddings", "/embeddings", {"prompt": ["one", "two"]}),
    ("infinity-embeddings-clip", "/embeddings", {"prompt": "a text"}),
    ("infinity-embeddings-clip", "/embeddings", {"prompt": "a text", "multi_modal_content": IMAGE}),
    ("vllm-pooling", "/pooling", {"prompt": "a text", "extra_body": {"task": "embed"}}),
    ("vllm-pooling", "/pooling", {"prompt": ["one", "two"]}),
    ("vllm-rerank", "/v1/rerank", {"prompt": ["a query", "one", "two"], "extra_body": {"top_n": 1}, "ignore_eos": True}),
    ("openai-chat", "/v1/chat/completions", {"prompt": "a text", "multi_modal_content": [IMAGE, OTHER]}),
    ("vllm", "/v1/completions", {"prompt": "a text", "ignore_eos": True, "logprobs": 2}),
    ("openai", "/v1/completions", {"prompt": "é", "extra_body": {"temperature": 0.5, "model": "x"}}),
    ("openai-chat", "/v1/chat/completions", {"prompt": "a text", "ignore_eos": True, "extra_body": {"temperature": 0.5}}),
    ("openai-responses", "/v1/responses", {"prompt": "a text"}),
    ("openai-responses", "/v1/responses", {"prompt": "é", "ignore_eos": True, "extra_body": {"temperature": 0.5, "model": "x"}}),
    ("openai-audio", "/v1/audio/transcriptions", {"prompt": "unused", "multi_modal_content": {"audio": (SOUND, 16000)}}),
    ("openai-audio", "/v1/audio/translations", {"prompt": "unused", "multi_modal_content": {"audio": (SOUND, 8000)}, "ignore_eos": True,
                                                "extra_body": {"temperature": 0.5, "language": "de", "flag": None, "list": ["a", 1.0]}}),
]
sent = []


async def note(request):
    body = await request.read()
    sent.append({"path": request.path, "content_type": request.headers.get("Content-Type"), "accept": request.headers.get("Accept"),
                 "body": body.decode("latin-1")})
    return web.json_response({"data": [{"embedding": [1.0]}], "usage": {"prompt_tokens": 3}})


async def main():
    app = web.Application()
    app.router.add_post("/{path:.*}", note)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with aiohttp.ClientSession() as session:
        for backend, path, fields in cases:
            call = RequestFuncInput(api_url=f"http://127.0.0.1:{port}{path}", model="m", prompt_len=3, output_len=7, **fields)
            try:
                got = await ASYNC_REQUEST_FUNCS[backend](call, session)
            except Exception as e:
                raise RuntimeError(f"{backend} {fields}") from e
            sent[-1] |= {"backend": backend, "num_input_sequences": got.num_input_sequences, "audio_seconds": got.input_audio_duration,
                         "call": {k: v for k, v in fields.items() if k != "multi_modal_content" or "audio" not in v}}
    await runner.cleanup()


asyncio.run(main())
json.dump({"made_with": f"vLLM {__version__}, aiohttp {aiohttp.__version__}", "sent": sent}, out, indent=1)
