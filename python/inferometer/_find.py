"""The highest load at which an SLO holds."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, overload

from . import _frames, _html
from ._call import Answer, Interrupted
from ._words import number, taken, words

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True)
class Edge:
    """What one search found."""

    load: Optional[float]  # requests a second, or at a time; None: the SLO held at no load that was tried
    low: Optional[float]  # the 95 % interval of the edge; None: no bound is known
    high: Optional[float]
    confirmed: bool  # by a long run
    binds: Optional[str]  # the clause of the SLO that is broken first
    reason: str
    verdict: Optional[str]  # of the run at this load
    verdict_reasons: List[str]
    probes: int
    seconds: float
    value: Optional[str] = None  # of the flag that `map` names


@dataclass(frozen=True)
class Found:
    """What `inferometer find` found. `report` is all of it, as find.json has it."""

    folder: str
    slo: str
    vary: str  # rate or concurrency
    edges: List[Edge]  # one, or with `map` one for each value
    report: Dict[str, Any] = field(repr=False)
    exit_code: int = 0

    @property
    def load(self) -> Optional[float]:
        """The highest load at which the SLO holds; None: it held at none that was tried."""
        return self._only().load

    @property
    def confirmed(self) -> bool:
        """Whether a long run confirmed it."""
        return all(edge.confirmed for edge in self.edges)

    def _only(self) -> Edge:
        if len(self.edges) != 1:
            raise ValueError(f"there are {len(self.edges)} searches: look at edges")
        return self.edges[0]

    @overload
    def curve(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def curve(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def curve(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """One row per load that was probed; inferometer.load(row.run) has its requests."""
        made: _frames.Frame = _frames.of_rows(self._points(), _CURVE, frame)
        return made

    def _points(self) -> List[Dict[str, Any]]:
        rows = []
        for result in self.report.get("results") or []:
            for point in result.get("curve") or []:
                numbers = point.get("numbers") or {}
                rows.append({**numbers, "value": result.get("value") or None, "load": point.get("x"), "holds": point.get("holds"), "seconds": point.get("seconds"), "probes": point.get("probes"), "run": point.get("run")})
        return rows

    def _repr_html_(self) -> str:
        parts = []
        for edge in self.edges:
            name = f"{_html.text(self.report.get('map'))} {_html.text(edge.value)}: " if edge.value else ""
            if edge.load is None:
                head = _html.line(_html.badge("holds at no load", "INVALID"), name + _html.text(self.slo))
            else:
                level = _html.badge(edge.verdict or "not judged")
                sure = "confirmed" if edge.confirmed else "not confirmed"
                span = f"from {_html.number(edge.low)}" + (f" to {_html.number(edge.high)}" if edge.high is not None else "")
                head = _html.line(level, f"{name}<b>{_html.text(self.vary)} {_html.number(edge.load)}</b>", _html.text(f"({sure}; 95 %: {span}) within {self.slo}"))
            parts += [head, *(_html.small(r) for r in edge.verdict_reasons), _html.small(edge.reason) if edge.reason else ""]
        heads = [self.vary, "SLO", "verdict", "req/s", "good req/s", "output tok/s", "mean E2EL ms"]
        rows = []
        for row in self._points():
            holds = {True: "holds", False: "broken"}.get(row["holds"], "n/a") if isinstance(row["holds"], bool) else "n/a"
            load = _html.number(row["load"]) if not row["value"] else f"{row['value']}: {_html.number(row['load'])}"
            numbers = [_html.number(row.get(k)) for k in ("request_throughput", "request_goodput", "output_throughput", "mean_e2el_ms")]
            rows.append([load, holds, row.get("verdict") or "not judged", *numbers])
        return _html.page(*parts, _html.table(heads, rows, left=3), _html.small(self.folder))


_CURVE = {
    "value": str,
    "load": float,
    "holds": bool,
    "seconds": float,
    "probes": int,
    "requests": int,
    "request_throughput": float,
    "request_goodput": float,
    "output_throughput": float,
    "total_token_throughput": float,
    "mean_e2el_ms": float,
    "verdict": str,
    "run": str,
}


def find(given: Dict[str, Any], shapes: Mapping[str, str]) -> Found:
    """The command's function in _commands has the flags."""
    (show,) = taken(given, "show")
    answer = Answer("find", words(given, shapes), show=show)
    if "results" not in answer.value:
        raise answer.missing()
    report = answer.value
    folder = str(report.pop("folder"))
    found = Found(folder, str(report.get("slo")), str(report.get("vary")), [_edge(r) for r in report["results"]], report, answer.exit_code)
    if answer.interrupted:
        raise Interrupted(found)
    return found


def _edge(result: Dict[str, Any]) -> Edge:
    answer = result.get("answer") or {}
    return Edge(
        load=number(answer.get("x")),
        low=number(answer.get("low")),
        high=number(answer.get("high")),
        confirmed=bool(answer.get("confirmed")),
        binds=answer.get("binding") or None,
        reason=str(answer.get("reason") or ""),
        verdict=result.get("verdict") or None,
        verdict_reasons=[str(r) for r in result.get("verdict_reasons") or []],
        probes=int(answer.get("probes") or 0),
        seconds=float(answer.get("spent_s") or 0),
        value=result.get("value") or None,
    )
