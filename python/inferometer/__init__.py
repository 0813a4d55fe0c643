"""Inferometer from Python: start a benchmark, and read runs as pandas or Polars frames.

The measuring is done by the program `inferometer`, which this package brings along. This
module finds it, calls it, and reads what it exports; it knows nothing of the journal's
format, so that a number here is the number that `inferometer report` prints.

    import inferometer

    run = inferometer.bench_serve(base_url="http://127.0.0.1:8000", num_prompts=200, max_concurrency=8)
    print(run.verdict.level, run.result["p99_ttft_ms"])
    frame = run.requests("polars")
"""

from ._binary import BinaryNotFound, find_binary
from ._call import InferometerError, Interrupted, bench_serve, run
from ._frames import FrameMissing
from ._run import Run, Verdict, load
from ._version import __version__

__all__ = [
    "BinaryNotFound",
    "FrameMissing",
    "InferometerError",
    "Interrupted",
    "Run",
    "Verdict",
    "__version__",
    "bench_serve",
    "find_binary",
    "load",
    "run",
]
