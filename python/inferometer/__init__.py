"""Inferometer from Python: benchmark a server, and read runs as pandas or Polars frames.

The measuring is done by the program `inferometer`, which this package brings along. This
module finds it, calls it, and reads what it exports; it computes no number of its own, so
that a number here is the number that `inferometer report` prints.

    import inferometer

    run = inferometer.bench("http://127.0.0.1:8000", num_prompts=200, max_concurrency=8)
    print(run.verdict, run.result["p99_ttft_ms"])
    frame = run.requests("polars")
"""

from ._binary import BinaryNotFound, find_binary
from ._call import InferometerError, Interrupted
from ._commands import bench, compare, find, run
from ._compare import Change, Comparison, Doubt, Limit
from ._experiment import Experiment, Point
from ._find import Edge, Found
from ._frames import FrameMissing
from ._run import Run, Verdict, call, load
from ._version import __version__

__all__ = [
    "BinaryNotFound",
    "Change",
    "Comparison",
    "Doubt",
    "Edge",
    "Experiment",
    "Found",
    "FrameMissing",
    "InferometerError",
    "Interrupted",
    "Limit",
    "Point",
    "Run",
    "Verdict",
    "__version__",
    "bench",
    "call",
    "compare",
    "find",
    "find_binary",
    "load",
    "run",
]
