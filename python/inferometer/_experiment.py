"""A whole experiment from one file."""

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, overload

from . import _frames, _html
from ._call import Answer, InferometerError, Interrupted
from ._run import Run, load
from ._words import taken, words

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Point:
    """One point of the matrix, or one repeat of it."""

    id: str
    values: Dict[str, str]  # by the name of the axis
    repeat: int
    state: str  # done, failed or missing
    error: Optional[str]
    verdict: Optional[str]
    reasons: List[str]
    unsupported: List[str]  # percentiles that it has too few values for
    slo: Optional[str]
    numbers: Dict[str, float]  # by their keys in the result
    folder: Optional[str]  # of its run; None: it has none

    def run(self) -> Run:
        """Its run, from the journal."""
        if self.folder is None:
            raise InferometerError(f"{self.id} is {self.state} and has no run: {self.error or 'run the scenario again'}")
        return load(self.folder)


@dataclass(frozen=True)
class Experiment:
    """What `inferometer run` made. `summary` is all of it, as summary.json has it."""

    name: str
    folder: str
    axes: List[str]
    points: List[Point]
    answers: List[str]  # what is best, in sentences
    summary: Dict[str, Any] = field(repr=False)
    exit_code: int = 0

    @property
    def complete(self) -> bool:
        """Whether every point has a result."""
        return all(point.state == "done" for point in self.points)

    @overload
    def frame(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def frame(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def frame(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """One row per point: its values, its verdict, and all its numbers."""
        numbers = dict.fromkeys(key for point in self.points for key in point.numbers)
        columns: Dict[str, type] = {**dict.fromkeys(self.axes, str), "point": str, "repeat": int, "state": str, "error": str, "verdict": str, "reasons": str, "slo": str}
        columns.update((key, float) for key in numbers if key not in columns)
        rows = []
        for p in self.points:
            own = {"point": p.id, "repeat": p.repeat, "state": p.state, "error": p.error, "verdict": p.verdict, "reasons": ", ".join(p.reasons), "slo": p.slo}
            rows.append({**p.numbers, **own, **p.values})
        made: _frames.Frame = _frames.of_rows(rows, columns, frame)
        return made

    def _repr_html_(self) -> str:
        done = sum(point.state == "done" for point in self.points)
        worst = next((level for level in ("INVALID", "SUSPECT", "VALID") if any(p.verdict == level for p in self.points)), "not judged")
        incomplete = "" if self.complete else _html.badge("incomplete", "SUSPECT")
        head = _html.line(_html.badge(worst), incomplete, _html.text(f"{self.name}, {done} of {len(self.points)} points have a result"))
        heads = [*self.axes, "verdict", "why", *(name for name, _ in _COLUMNS)]
        rows = []
        for p in self.points:
            why = p.error or ", ".join(p.reasons)
            numbers = ["n/a" if key[: -len("_ms")] in p.unsupported else _html.number(p.numbers.get(key)) for _, key in _COLUMNS]
            rows.append([*(p.values.get(axis, "") for axis in self.axes), p.verdict or p.state, why, *numbers])
        table = _html.table(heads, rows, left=len(self.axes) + 2)
        return _html.page(head, *(_html.small(a) for a in self.answers), table, _html.small(self.folder))


_COLUMNS = [("req/s", "request_throughput"), ("output tok/s", "output_throughput"), ("median TTFT ms", "median_ttft_ms"), ("p99 TTFT ms", "p99_ttft_ms"), ("median TPOT ms", "median_tpot_ms"), ("p99 ITL ms", "p99_itl_ms")]


def run(given: Dict[str, Any], shapes: Mapping[str, str]) -> Experiment:
    """The command's function in _commands has the flags."""
    scenario, show = taken(given, "scenario", "show")
    if not isinstance(scenario, (str, os.PathLike)):
        raise TypeError(f"scenario is {scenario!r}: give the path of a scenario; call() takes a command as a list")
    # An absolute path never begins with -, so that no name of a file is a flag.
    answer = Answer("run", [os.path.abspath(scenario), *words(given, shapes)], show=show)
    summary = answer.value
    if not summary.get("done"):  # no point has a result, and the program says why
        raise answer.missing()
    folder = str(summary.pop("folder"))
    points = [_point(p, folder) for p in summary.get("points") or []]
    answers = [str(t) for t in (summary.get("answers") or {}).get("text") or []]
    made = Experiment(str(summary.get("name")), folder, list(summary.get("axes") or []), points, answers, summary, answer.exit_code)
    if answer.interrupted:
        raise Interrupted(made)
    return made


def _point(p: Dict[str, Any], folder: str) -> Point:
    result = p.get("result")
    return Point(
        id=str(p["id"]),
        values={str(k): str(v) for k, v in (p.get("values") or {}).items()},
        repeat=int(p.get("repeat") or 1),
        state=str(p.get("state")),
        error=p.get("error") or None,
        verdict=p.get("verdict") or None,
        reasons=list(p.get("reasons") or []),
        unsupported=list(p.get("unsupported") or []),
        slo=p.get("slo") or None,
        numbers=dict(p.get("numbers") or {}),
        folder=os.path.dirname(os.path.join(folder, result)) if result else None,
    )
