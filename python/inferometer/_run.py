"""A run: its result, its verdict, and its tables."""

import os
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

from . import _frames
from ._call import InferometerError, call, parse


@dataclass(frozen=True)
class Verdict:
    """Whether the numbers may be trusted: docs/verdict.md."""

    level: str  # VALID, SUSPECT or INVALID
    reasons: List[str] = field(default_factory=list)  # names of the checks that it is for
    checks: List[Dict[str, Any]] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        return self.level == "VALID"

    def __str__(self) -> str:
        return f"{self.level} ({', '.join(self.reasons)})" if self.reasons else self.level


@dataclass(frozen=True)
class Run:
    """One run. `result` is the whole result as `inferometer report --format json` gives it."""

    folder: str
    result: Dict[str, Any] = field(repr=False)
    exit_code: Optional[int] = None  # of the command that made it; None: it was loaded

    @property
    def verdict(self) -> Optional[Verdict]:
        """None: the run was not judged."""
        found = self.result["inferometer"].get("verdict")
        if not isinstance(found, dict):
            return None
        return Verdict(str(found.get("level")), list(found.get("reasons") or []), list(found.get("checks") or []))

    @property
    def label(self) -> Optional[str]:
        return self.result.get("label")

    @property
    def partial(self) -> bool:
        """The run did not come to its end."""
        return bool(self.result["inferometer"].get("partial"))

    def requests(self, frame: str = "pandas") -> Any:
        """One row per request, warm-ups left out."""
        return self._table("requests", frame)

    def events(self, frame: str = "pandas") -> Any:
        """One row per event of a stream."""
        return self._table("events", frame)

    def samples(self, frame: str = "pandas") -> Any:
        """The state of the client, about once a second."""
        return self._table("samples", frame)

    def scrapes(self, frame: str = "pandas") -> Any:
        """What the servers' own metrics said: one row per reading and name."""
        return self._table("scrapes", frame)

    def _table(self, table: str, frame: str) -> Any:
        _frames.check(frame)
        with tempfile.TemporaryDirectory(prefix="inferometer-") as room:
            path = os.path.join(room, "table.parquet")
            _report([self.folder, "--format", "parquet", "--table", table, "--output", path])
            return _frames.read_parquet(path, frame)


def load(run: Union[str, "os.PathLike[str]"]) -> Run:
    """A run by its folder, or by a result that it saved. Its numbers come from the journal."""
    # An absolute path never begins with -, so that no name of a file is a flag.
    path = os.path.abspath(os.fspath(run))
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path} is not there: give the folder of a run, or a result that bench serve saved")
    lines = _report([path, "--format", "json"]).strip().splitlines()
    try:
        return from_result(parse(lines[-1]))
    except (IndexError, ValueError) as err:
        raise InferometerError(f"what inferometer says of {path} can't be read ({err}): are program and package of one version?") from err


def from_result(result: Dict[str, Any], exit_code: Optional[int] = None) -> Run:
    folder = result["inferometer"].get("run")
    if not isinstance(folder, str) or not folder:
        raise InferometerError("the result names no folder of a run: load the run by its folder", exit_code)
    return Run(folder=os.path.abspath(folder), result=result, exit_code=exit_code)


def _report(args: List[str]) -> str:
    code, out, said, interrupted = call(["report", *args])
    if interrupted:
        raise KeyboardInterrupt
    if code != 0:
        raise InferometerError(f"inferometer report ended with exit code {code}: {said or 'it said nothing'}", code)
    return out
