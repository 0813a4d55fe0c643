"""A run: its result, its verdict, and its tables."""

import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, Union, overload

from . import _frames, _html
from ._call import Answer, InferometerError, Interrupted, execute
from ._words import Path, number, taken, word, words

if TYPE_CHECKING:
    import pandas
    import polars

# The commands that make one run and print its result.
_COMMANDS = (("bench", "serve"), ("eval",), ("exec",))

_STATISTIC = re.compile(r"(mean|median|std|p\d+(?:\.\d+)?)_(\w+)_ms")


@dataclass(frozen=True)
class Verdict:
    """Whether the numbers may be trusted: docs/verdict.md."""

    level: str  # VALID, SUSPECT or INVALID
    line: str = ""  # the verdict in one line, as the program prints it
    reasons: List[str] = field(default_factory=list)  # names of the checks that it is for
    checks: List[Dict[str, Any]] = field(default_factory=list)
    unsupported: List[str] = field(default_factory=list)  # percentiles that the run has too few values for

    @property
    def valid(self) -> bool:
        return self.level == "VALID"

    @property
    def sentences(self) -> List[str]:
        """What the checks say that the verdict is for."""
        return [str(c["sentence"]) for c in self.checks if c.get("name") in self.reasons and c.get("sentence")]

    def __str__(self) -> str:
        return self.line or self.level


@dataclass(frozen=True, repr=False)
class Run:
    """One run. `result` is the whole result as `inferometer report --format json` gives it."""

    folder: str
    result: Dict[str, Any]
    exit_code: Optional[int] = None  # of the command that made it; None: it was loaded

    @property
    def summary(self) -> List[str]:
        """The answer in a few lines, as the program prints it."""
        return [str(line) for line in self.result["inferometer"].get("summary") or []]

    def __repr__(self) -> str:
        return "\n".join(self.summary) or f"<Run {self.folder}>"

    @property
    def verdict(self) -> Optional[Verdict]:
        """None: the run was not judged."""
        found = self.result["inferometer"].get("verdict")
        if not isinstance(found, dict):
            return None
        lists = {key: list(found.get(key) or []) for key in ("reasons", "checks", "unsupported")}
        return Verdict(str(found.get("level")), str(found.get("line") or ""), **lists)

    @property
    def label(self) -> Optional[str]:
        return self._text("label")

    @property
    def model(self) -> Optional[str]:
        return self._text("model_id")

    @property
    def partial(self) -> bool:
        """The run did not come to its end."""
        return bool(self.result["inferometer"].get("partial"))

    @property
    def completed(self) -> int:
        """Requests that succeeded."""
        return int(self.result["completed"])

    @property
    def failed(self) -> int:
        """Requests that did not."""
        return int(self.result["failed"])

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self.result["duration"])

    @property
    def request_throughput(self) -> Optional[float]:
        """Requests a second."""
        return self.number("request_throughput")

    @property
    def output_throughput(self) -> Optional[float]:
        """Output tokens a second."""
        return self.number("output_throughput")

    @property
    def total_token_throughput(self) -> Optional[float]:
        """Tokens of prompts and answers a second."""
        return self.number("total_token_throughput")

    def number(self, key: str) -> Optional[float]:
        """A number of the result by its key, such as p99_ttft_ms; None: it is not known."""
        latency = _STATISTIC.fullmatch(key)
        if latency and not self.result.get(f"mean_{latency.group(2)}_ms", 1):
            return None  # a latency of zero is vLLM's way to say that there is none
        return number(self.result.get(key))

    def supported(self, key: str) -> bool:
        """False: a percentile that the run has too few requests for."""
        verdict = self.verdict
        return verdict is None or key not in verdict.unsupported and re.sub(r"_ms$", "", key) not in verdict.unsupported

    def _text(self, key: str) -> Optional[str]:
        value = self.result.get(key)
        return value if isinstance(value, str) else None

    @overload
    def metrics(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def metrics(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def metrics(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """One row per number of the result, with its 95 % interval where there is one."""
        columns = {"metric": str, "value": float, "low": float, "high": float, "n": int, "supported": bool}
        frame_: _frames.Frame = _frames.of_rows(self._numbers(), columns, frame)
        return frame_

    def _numbers(self) -> List[Dict[str, Any]]:
        confidence = self.result["inferometer"].get("confidence")
        intervals = confidence.get("intervals") if isinstance(confidence, dict) else None
        keys, rows = list(self.result), []
        measured = keys[keys.index("duration") :] if "duration" in keys else []  # what comes before it was asked for
        for key in measured:
            value = self.number(key)
            if value is not None:
                interval = (intervals or {}).get(key) or {}
                rows.append({"metric": key, "value": value, "low": interval.get("low"), "high": interval.get("high"), "n": interval.get("n"), "supported": self.supported(key)})
        return rows

    @overload
    def requests(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def requests(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def requests(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """One row per request, warm-ups left out."""
        return self._table("requests", frame)

    @overload
    def events(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def events(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def events(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """One row per event of a stream."""
        return self._table("events", frame)

    @overload
    def samples(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def samples(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def samples(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """The state of the client, about once a second."""
        return self._table("samples", frame)

    @overload
    def scrapes(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def scrapes(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def scrapes(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """What the servers' own metrics said: one row per reading and name."""
        return self._table("scrapes", frame)

    @overload
    def series(self, frame: Literal["pandas"] = "pandas") -> "pandas.DataFrame": ...
    @overload
    def series(self, frame: Literal["polars"]) -> "polars.DataFrame": ...
    def series(self, frame: _frames.Library = "pandas") -> _frames.Frame:
        """The run over time: throughput, latencies and requests in flight, one row per slot of time."""
        return self._table("series", frame)

    def _table(self, table: str, frame: str) -> _frames.Frame:
        _frames.check(frame)
        with tempfile.TemporaryDirectory(prefix="inferometer-") as room:
            path = os.path.join(room, "table.parquet")
            _report([self.folder, "--format", "parquet", "--table", table, "--output", path])
            read: _frames.Frame = _frames.read_parquet(path, frame)
            return read

    def _repr_html_(self) -> str:
        verdict = self.verdict
        level, line = (verdict.level, str(verdict).split(":", 1)[-1]) if verdict else ("not judged", "")
        head = [_html.badge(level), _html.badge("stopped early") if self.partial else "", _html.text(line) if line != level else ""]
        about = ", ".join(part for part in (self.label, self.model) if part)
        details = _html.details("all latencies", self._latencies()) if self._latencies() else ""
        return _html.page(_html.line(*head), _html.small(about) if about else "", _html.cards(self._cards()), self._scores(), details, _html.small(self.folder))

    def _cards(self) -> List[_html.Card]:
        """The numbers that the page begins with, each with its interval where there is one."""
        out = [_html.Card(name, _html.number(self.number(key)), unit, self._interval(key)) for name, key, unit in _RATES if self.number(key) is not None]
        for name, metric in _LATENCIES:
            median, p99 = f"median_{metric}_ms", f"p99_{metric}_ms"
            if self.number(median) is not None:
                high = _html.number(self.number(p99)) if self.supported(p99) else "n/a"
                out.append(_html.Card(name, _html.number(self.number(median)), "ms, median", f"p99 {high} ms"))
        sent = self.completed + self.failed
        return [*out, _html.Card("Failed", _html.number(self.failed), f"of {_html.number(sent)} requests", f"in {_html.number(self.duration)} s")]

    def _interval(self, key: str) -> str:
        """The 95 % interval of a number; empty: there is none."""
        found = next((row for row in self._numbers() if row["metric"] == key), {})
        if found.get("low") is None or found.get("high") is None:
            return ""
        return f"95 %: {_html.number(found['low'])} to {_html.number(found['high'])}"

    def _scores(self) -> str:
        """Of a run of questions: what the answers are worth."""
        scores = (self.result["inferometer"].get("eval") or {}).get("scores") or []
        rows = [[str(s.get("name")), _html.number(s.get("value")), f"{_html.number(s.get('low'))} … {_html.number(s.get('high'))}", f"{s.get('right')} of {s.get('of')}"] for s in scores]
        return _html.table(["score", "value", "95 % interval", "right"], rows) if rows else ""

    def _latencies(self) -> str:
        metrics: Dict[str, Dict[str, str]] = {}
        heads: List[str] = []
        for key in self.result:
            found = _STATISTIC.fullmatch(key)
            if found:
                statistic, metric = found.groups()
                heads += [] if statistic in heads else [statistic]
                metrics.setdefault(metric, {})[statistic] = _html.number(self.number(key)) if self.supported(key) else "n/a"
        rows = [[name.upper().replace("_", " "), *(row.get(head, "") for head in heads)] for name, row in metrics.items()]
        return _html.table(["ms", *heads], rows) if rows else ""


# What the cards show: name, key and unit.
_RATES = [("Output", "output_throughput", "tok/s"), ("Requests", "request_throughput", "req/s"), ("Within the limits", "request_goodput", "req/s")]
_LATENCIES = [("Time to first token", "ttft"), ("Between tokens", "itl")]


def bench(given: Dict[str, Any], shapes: Mapping[str, str]) -> Run:
    """The command's function in _commands has the flags. With an address alone it is `inferometer URL`, which finds out the rest."""
    (show,) = taken(given, "show")
    return _made("" if given.get("base_url") else "bench serve", words(given, shapes), show)


def call(args: Sequence[Union[str, float, "os.PathLike[str]"]], *, show: Optional[bool] = None) -> Run:
    """A command that makes one run (bench serve, eval, exec) with its arguments, as a list.

    Returns the run, also of one that was stopped early, broke its SLO or is INVALID under --strict:
    its `exit_code` says so. Raises InferometerError where there is no result. `show=True` lets the
    program write all it says to standard error; None shows its progress in a notebook or on a terminal.
    """
    if isinstance(args, (str, bytes)):
        raise TypeError("args must be a list such as ['bench', 'serve', '--base-url', url], not one string")
    given = [word("args", a) for a in args]
    command = next((c for c in _COMMANDS if tuple(given[: len(c)]) == c), None)
    if command is None:
        raise ValueError("args must begin with bench serve, eval or exec, which make one run; call find_binary() with subprocess for others")
    if any(w == "--format" or w.startswith("--format=") for w in given):
        raise ValueError("--format is given by this function: leave it out")
    return _made(" ".join(command), given[len(command) :], show)


def _made(command: str, args: List[str], show: Optional[bool]) -> Run:
    answer = Answer(command, args, show=show)
    if not isinstance(answer.value.get("inferometer"), dict):
        raise answer.missing()
    made = from_result(answer.value, exit_code=answer.exit_code)
    if answer.interrupted:
        raise Interrupted(made)
    return made


def load(run: Path) -> Run:
    """A run by its folder, or by a result that it saved. Its numbers come from the journal."""
    # An absolute path never begins with -, so that no name of a file is a flag.
    path = os.path.abspath(os.fspath(run))
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path} is not there: give the folder of a run, or a result that bench serve saved")
    answer = Answer("report", [path])
    if answer.interrupted:
        raise KeyboardInterrupt
    if answer.exit_code != 0 or not isinstance(answer.value.get("inferometer"), dict):
        raise answer.missing()
    return from_result(answer.value)


def from_result(result: Dict[str, Any], exit_code: Optional[int] = None) -> Run:
    folder = result["inferometer"].get("run")
    if not isinstance(folder, str) or not folder:
        raise InferometerError("the result names no folder of a run: load the run by its folder", exit_code)
    return Run(folder=os.path.abspath(folder), result=result, exit_code=exit_code)


def _report(args: List[str]) -> None:
    code, _, said, interrupted = execute(["report", *args])
    if interrupted:
        raise KeyboardInterrupt
    if code != 0:
        raise InferometerError(f"inferometer report ended with exit code {code}: {said or 'it said nothing'}", code)
