"""Calling the program: always as a list of arguments, never by a shell."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from ._binary import find_binary

if TYPE_CHECKING:
    from ._run import Run

# The commands that make one run and print its result.
_COMMANDS = (("bench", "serve"), ("eval",), ("exec",))

# So much of what the program said is kept for an error.
_SAID = 4000


class InferometerError(RuntimeError):
    """The program gave no result. `exit_code` is the program's: docs/exit-codes.md."""

    def __init__(self, message: str, exit_code: Optional[int] = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came; `run` is what was measured until then, or None."""

    def __init__(self, run: "Optional[Run]") -> None:
        super().__init__("interrupted")
        self.run = run


def bench_serve(base_url: str, *, show: bool = False, **flags: Any) -> "Run":
    """`inferometer bench serve`: benchmarks a server and returns the run.

    Each keyword is a flag with _ for -: num_prompts=200 is --num-prompts 200. True gives the
    flag alone, None and False leave it out, and a list gives its values one after the other.
    """
    args = ["bench", "serve", "--base-url", _word("base_url", base_url)]
    for name, value in flags.items():
        args += _flag(name, value)
    return run(args, show=show)


def run(args: Sequence[str], *, show: bool = False) -> "Run":
    """A command that makes one run (bench serve, eval, exec) with its arguments, as a list.

    Returns the run, also of one that was stopped early, broke its SLO or is INVALID under --strict:
    its `exit_code` says so. Raises InferometerError where there is no result. `show` lets the
    program write its progress and its table to standard error.
    """
    from ._run import from_result

    words = _checked(args)
    code, out, said, interrupted = call(words + ["--format", "json"], show=show)
    result = None
    lines = out.strip().splitlines()
    if lines:
        try:
            result = parse(lines[-1])
        except ValueError:
            result = None
    made = from_result(result, exit_code=code) if result is not None else None
    if interrupted:
        raise Interrupted(made)
    if made is None:
        raise InferometerError(f"inferometer {' '.join(words[:2])} ended with exit code {code} and no result: {said or 'it said nothing'}", code)
    return made


def _checked(args: Sequence[str]) -> List[str]:
    if isinstance(args, (str, bytes)):
        raise TypeError("args must be a list such as ['bench', 'serve', '--base-url', url], not one string")
    words = [_word("args", a) for a in args]
    if not any(tuple(words[: len(c)]) == c for c in _COMMANDS):
        raise ValueError("args must begin with bench serve, eval or exec, which make one run; call find_binary() with subprocess for others")
    if any(w == "--format" or w.startswith("--format=") for w in words):
        raise ValueError("--format is given by this function: leave it out")
    return words


def _flag(name: str, value: Any) -> List[str]:
    if not name.isidentifier():
        raise ValueError(f"{name!r} is no name of a flag")
    flag = "--" + name.strip("_").replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple)):
        words = [_word(name, v) for v in value]
        if any(w.startswith("-") for w in words):
            raise ValueError(f"{name} has a value that begins with -, which would be a flag: give it to run() as you would type it")
        return [flag, *words]
    # One word, so that a value that begins with - is no flag.
    return [f"{flag}={_word(name, value)}"]


def _word(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, os.PathLike)):
        raise TypeError(f"{name} has {value!r}: give text, a number or a path")
    word = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if not isinstance(word, str) or "\0" in word:
        raise ValueError(f"{name} has a value that can't be an argument: {value!r}")
    return word


def call(args: List[str], *, show: bool = False) -> Tuple[int, str, str, bool]:
    """Runs the program: its exit code, standard output, the end of what it said, and whether Ctrl-C came."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [find_binary(), *args],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=None if show else said,
            # A group of its own: one Ctrl-C here is one there, and the program can end its run in order.
            start_new_session=sys.platform != "win32",
        )
        interrupted = False
        while True:
            try:
                code = process.wait()
                break
            except KeyboardInterrupt:
                interrupted = True
                if sys.platform != "win32":  # there the console has told it already
                    process.send_signal(signal.SIGINT)
            except BaseException:
                process.kill()
                process.wait()
                raise
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
        said.seek(0, os.SEEK_END)
        said.seek(max(0, said.tell() - _SAID))
        return code, text, said.read().decode("utf-8", "replace").strip(), interrupted


def parse(line: str) -> Dict[str, Any]:
    """A result; Infinity and NaN, which Python's own JSON has, are floats."""
    result = json.loads(line)
    if not isinstance(result, dict) or not isinstance(result.get("inferometer"), dict):
        raise ValueError("this is no result of inferometer")
    return result
