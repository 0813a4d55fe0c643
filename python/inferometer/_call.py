"""Calling the program: always as a list of arguments, never by a shell."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple, Union

from . import _progress
from ._binary import find_binary

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._experiment import Experiment
    from ._find import Found
    from ._run import Run

# So much of what the program said is kept for an error.
_SAID = 4000


class InferometerError(RuntimeError):
    """The program gave no result. `exit_code` is the program's: docs/exit-codes.md."""

    def __init__(self, message: str, exit_code: Optional[int] = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class Interrupted(KeyboardInterrupt):
    """Ctrl-C came; `run` is what was measured until then, or None."""

    def __init__(self, run: "Union[Run, Found, Experiment, Comparison, None]") -> None:
        super().__init__("interrupted")
        self.run = run


class Answer:
    """What the program printed as JSON, and how it ended."""

    def __init__(self, command: str, args: List[str], *, show: Optional[bool] = False) -> None:
        self._command = command
        self.exit_code, out, self._said, self.interrupted = execute([*command.split(), *args, "--format", "json"], show=show)
        self.value = _parsed(out)  # empty: there is none

    def missing(self) -> BaseException:
        """What to raise where there is no result."""
        if self.interrupted:
            return Interrupted(None)
        said = self._said or "it said nothing that was kept"
        name = f"inferometer {self._command}".strip()
        return InferometerError(f"{name} ended with exit code {self.exit_code} and no result: {said}", self.exit_code)


def _parsed(out: str) -> Dict[str, Any]:
    """A JSON object; Infinity and NaN, which Python's own JSON has, are floats."""
    try:
        found = json.loads(out)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def execute(args: List[str], *, show: Optional[bool] = False) -> Tuple[int, str, str, bool]:
    """Runs the program: its exit code, standard output, the end of what it said, and whether Ctrl-C came.

    `show` passes on all that it says; None shows its last line while it runs, where somebody sees it.
    """
    with tempfile.TemporaryDirectory(prefix="inferometer-") as room:
        said = os.path.join(room, "said")
        with open(os.path.join(room, "out"), "w+b") as out, open(said, "wb") as err, _progress.begin(show) as progress:
            process = subprocess.Popen(
                [find_binary(), *args],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=None if show else err,
                # A group of its own: one Ctrl-C here is one there, and the program can end its run in order.
                start_new_session=sys.platform != "win32",
            )
            code, interrupted = _wait(process, lambda: progress.show(_end(said)))
            out.seek(0)
            return code, out.read().decode("utf-8", "replace"), _end(said).strip(), interrupted


def _wait(process: "subprocess.Popen[bytes]", look: Callable[[], None]) -> Tuple[int, bool]:
    """The exit code, and whether Ctrl-C came, which the program is told of."""
    interrupted = False
    while True:
        try:
            return process.wait(_progress.EVERY), interrupted
        except subprocess.TimeoutExpired:
            look()
        except KeyboardInterrupt:
            interrupted = True
            if sys.platform != "win32":  # there the console has told it already
                process.send_signal(signal.SIGINT)
        except BaseException:
            process.kill()
            process.wait()
            raise


def _end(path: str) -> str:
    """The end of what the program has said so far. The file is opened anew: the program's own handle keeps its place."""
    with open(path, "rb") as said:
        said.seek(max(0, os.path.getsize(path) - _SAID))
        return said.read().decode("utf-8", "replace")
