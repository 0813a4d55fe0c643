"""Results held against each other."""

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Union, overload

from . import _frames, _html
from ._call import Answer, Interrupted
from ._run import Run
from ._words import Path, number, taken, words

if TYPE_CHECKING:
    import pandas
    import polars

One = Union[Run, Path]
# A side is a run, or a list of its repeats.
Side = Union[One, Sequence[One]]


@dataclass(frozen=True)
class Doubt:
    """What speaks against a comparison."""

    side: str
    reason: str
    sentence: str
    severe: bool  # the sides are not comparable


@dataclass(frozen=True)
class Change:
    """One number of one side against the first. Shares: 0.05 is 5 %."""

    metric: str  # as in a result: p99_ttft_ms
    label: str
    side: str
    base: Optional[float]
    value: Optional[float]
    change: Optional[float]
    low: Optional[float]
    high: Optional[float]
    p: Optional[float]
    call: str  # real, differs (one run per side), within noise, unclear or unknown
    better: Optional[bool]  # of a change that is real; None: neither, or nobody knows


@dataclass(frozen=True)
class Limit:
    """One limit of the gate, held against one side."""

    side: str
    limit: str
    outcome: str
    sentence: str


@dataclass(frozen=True, repr=False)
class Comparison:
    """What `inferometer compare` found. `report` is all of it."""

    sides: List[str]
    doubts: List[Doubt]
    changes: List[Change]
    gate: List[Limit]
    notes: List[str]
    report: Dict[str, Any] = field(default_factory=dict)
    exit_code: int = 0

    def __repr__(self) -> str:
        """What is real, in a few lines."""
        head = f"{', '.join(self.sides[1:])} against {self.sides[0]}: " + (self._counts() if self.comparable else "NOT COMPARABLE")
        lines = [f"{d.side}: {d.sentence}" for d in self.doubts if d.severe]
        lines += [f"{c.label}, {c.side}: {_html.number(c.base)} to {_html.number(c.value)}, {_html.percent(c.change)} ({_called(c)})" for c in self.changes if c.call in ("real", "differs")]
        lines += [f"gate {g.limit}, {g.side}: {g.outcome}" for g in self.gate]
        return "\n  ".join(_html.plain(line) for line in [head, *lines])

    @property
    def comparable(self) -> bool:
        """False: something severe speaks against it, and no change means anything."""
        return not any(doubt.severe for doubt in self.doubts)

    def change(self, metric: str, side: Optional[str] = None) -> Change:
        """The change of a metric such as p99_ttft_ms, of the second side unless another is named."""
        for found in self.changes:
            if found.metric == metric and found.side == (side or self.sides[1]):
                return found
        raise KeyError(f"{metric} of {side or self.sides[1]}: there are {', '.join(dict.fromkeys(c.metric for c in self.changes))} of {', '.join(self.sides[1:])}")

    @overload
    def frame(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def frame(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def frame(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """One row per metric and side."""
        columns = {"metric": str, "side": str, "base": float, "value": float, "change": float, "low": float, "high": float, "p": float, "call": str, "better": bool}
        made: _frames.Frame = _frames.of_rows([vars(c) for c in self.changes], columns, frame)
        return made

    def _repr_html_(self) -> str:
        head = _html.badge("comparable", "VALID") if self.comparable else _html.badge("NOT COMPARABLE", "INVALID")
        doubts = [_html.small(f"{d.side}: {d.sentence}") for d in sorted(self.doubts, key=lambda d: not d.severe)]
        limits = [_html.small(f"gate {g.limit}, {g.side}: {g.outcome}; {g.sentence}") for g in self.gate]
        rows = []
        for c in self.changes:
            span = f"{_html.percent(c.low)} … {_html.percent(c.high)}" if c.low is not None or c.high is not None else "n/a"
            side = [c.side] if len(self.sides) > 2 else []
            rows.append([c.label, *side, _called(c), _html.number(c.base), _html.number(c.value), _html.percent(c.change), span])
        names = ["side", "call", self.sides[0], "value"] if len(self.sides) > 2 else ["call", *self.sides]
        table = _html.table(["", *names, "change", "95 % interval"], rows, left=len(names) - 1 if len(self.sides) > 2 else 2)
        return _html.page(_html.line(head, *self._gate(), _html.text(self._counts()) + ";", _html.text(", ".join(self.sides[1:])), "against", _html.text(self.sides[0])), *doubts, *limits, self._accuracy(), table, *(_html.small(n) for n in self.notes))

    def _counts(self) -> str:
        real = [c for c in self.changes if c.call == "real"]
        return f"{len(real)} of {len(self.changes)} changes are real: {sum(c.better is True for c in real)} better, {sum(c.better is False for c in real)} worse"

    def _accuracy(self) -> str:
        """Of runs that asked questions: what their answers are worth."""
        rows = []
        for name, side in zip(self.sides, (self.report.get("accuracy") or {}).get("sides") or []):
            change = side.get("change") or {}
            points = f"{change['difference'] * 100:+.1f} points, {change['call']}" if change else ""
            span = f"{_html.number(side.get('low'))} … {_html.number(side.get('high'))}"
            rows.append([name, _html.number(side["value"]) if side.get("known") else "n/a", span, str(side.get("answered")), points])
        return _html.table(["accuracy", "value", "95 % interval", "answered", "difference"], rows) if rows else ""

    def _gate(self) -> List[str]:
        outcomes = [limit.outcome for limit in self.gate]
        for outcome, level in (("broken", "INVALID"), ("undecided", "SUSPECT"), ("kept", "VALID")):
            if outcome in outcomes:
                return [_html.badge(f"gate {outcome}", level)]
        return []


def _called(change: Change) -> str:
    return change.call + {True: ", better", False: ", worse", None: ""}[change.better]


def compare(given: Dict[str, Any], shapes: Mapping[str, str]) -> Comparison:
    """The command's function in _commands has the flags."""
    results, show = taken(given, "results", "show")
    if len(results) < 2:
        raise ValueError("compare needs two results or more: compare(base, new)")
    answer = Answer("compare", [*words(given, shapes), *(_side(r) for r in results)], show=show)
    if "sides" not in answer.value:
        raise answer.missing()
    found = _of(answer.value, answer.exit_code)
    if answer.interrupted:
        raise Interrupted(found)
    return found


def _side(side: Side) -> str:
    if isinstance(side, (Run, str, os.PathLike)):
        return _path(side)
    paths = [_path(one) for one in side]
    if not paths:
        raise ValueError("a side of the comparison is an empty list: give its runs")
    return ",".join(paths)


def _path(one: One) -> str:
    # An absolute path never begins with -, so that no name of a file is a flag.
    path = os.path.abspath(one.folder if isinstance(one, Run) else os.fspath(one))
    if "," in path:
        raise ValueError(f"{path} has a comma, which joins repeats of one side: rename it, or compare from another folder")
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path} is not there: give a run, its folder, or a file of results")
    return path


def _of(report: Dict[str, Any], exit_code: int) -> Comparison:
    sides = [str(name) for name in report["sides"]]
    doubts = [Doubt(str(d.get("side")), str(d.get("reason")), str(d.get("sentence")), bool(d.get("severe"))) for d in report.get("doubts") or []]
    gate = [Limit(str(g.get("side")), str(g.get("limit")), str(g.get("outcome")), str(g.get("sentence"))) for g in report.get("gate") or []]
    changes = [c for row in report.get("rows") or [] for c in _changes(row, sides)]
    return Comparison(sides, doubts, changes, gate, [str(n) for n in report.get("notes") or []], report, exit_code)


def _changes(row: Dict[str, Any], sides: List[str]) -> List[Change]:
    metric, cells = row["metric"], row["cells"]
    value = [number(cell["value"]) if cell.get("known") else None for cell in cells]
    out = []
    for i in range(1, len(sides)):
        found = cells[i].get("change")
        c: Dict[str, Any] = found if isinstance(found, dict) else {}
        bounded = bool(c.get("bounded"))
        better = None
        if c.get("call") == "real" and not metric.get("direction_unknown"):
            better = (c["change"] > 0) == bool(metric.get("higher_is_better"))
        known = c if value[0] is not None and value[i] is not None else {}
        out.append(
            Change(
                metric=str(metric["key"]),
                label=str(metric.get("label") or metric["key"]),
                side=sides[i],
                base=value[0],
                value=value[i],
                change=number(known.get("change")),
                low=number(known.get("low")) if bounded else None,
                high=number(known.get("high")) if bounded else None,
                p=number(known.get("p")),
                call=str(c.get("call") or "unknown"),
                better=better,
            )
        )
    return out
