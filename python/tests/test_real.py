"""The module with the program, against the simulated server: bench, find, compare, run, and their frames.

INFEROMETER_BINARY names the program; `make test-wheel` runs this with the installed wheel.
"""

import os
import pathlib
import re
import subprocess

import pandas
import polars
import pytest

import inferometer

SMALL = {"random_input_len": 8, "random_output_len": 6}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Where the runs go, and where the program keeps its state."""
    path = tmp_path_factory.mktemp("room")
    before, state = os.getcwd(), os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(path / "state")
    os.chdir(path)
    yield path
    os.chdir(before)
    os.environ.pop("XDG_STATE_HOME")
    if state is not None:
        os.environ["XDG_STATE_HOME"] = state


def start(*flags):
    process = subprocess.Popen([inferometer.find_binary(), "sim", "--listen", "127.0.0.1:0", *flags], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    said = ""
    for line in process.stderr:  # ends where the program does
        said += line
        found = re.search(r"at (http://\S+)", line)
        if found:
            return process, found.group(1)
    raise AssertionError(said)


@pytest.fixture(scope="module")
def url(room):
    process, address = start("--ttft", "5ms", "--itl", "1ms", "--engine", "batch")
    yield address
    process.kill()
    process.wait()


@pytest.fixture(scope="module")
def runs(url, room):
    return [inferometer.bench(url, num_prompts=40, max_concurrency=4, seed=n, label=f"run {n}", run_dir=room / f"run{n}", metric_percentiles=[50, 99], **SMALL) for n in (1, 2)]


def test_bench(runs):
    run = runs[0]
    assert (run.exit_code, run.completed, run.failed, run.label, run.model) == (0, 40, 0, "run 1", "sim")
    assert run.output_throughput == run.result["output_throughput"] > 0
    assert run.verdict is not None and run._repr_html_().find(run.verdict.level) < run._repr_html_().find("<table")
    assert "p50_ttft_ms" in run.result, "a list of numbers became no list"
    assert inferometer._words.word("num_prompts", pandas.Series([3])[0]) == "3", "a number of a frame is a number"
    with pytest.raises(TypeError, match="num_promts"):
        inferometer.bench("http://127.0.0.1:9", num_promts=3)
    with pytest.raises(inferometer.InferometerError, match="max-concurrency") as refused:
        inferometer.bench("http://127.0.0.1:9", max_concurrency=-3)
    assert refused.value.exit_code == 2
    with pytest.raises(inferometer.InferometerError, match="connect") as dead:
        inferometer.bench("http://127.0.0.1:9", num_prompts=1, ready_check_timeout_sec=1)
    assert dead.value.exit_code == 1


def test_metrics_are_those_of_the_result(runs):
    run = runs[0]
    frame = run.metrics()
    assert {str(t) for t in frame.dtypes} == {"string", "Float64", "Int64", "boolean"}
    assert dict(zip(frame.metric, frame.value))["p99_ttft_ms"] == run.result["p99_ttft_ms"]
    row = frame.set_index("metric").loc["mean_ttft_ms"]
    interval = run.result["inferometer"]["confidence"]["intervals"]["mean_ttft_ms"]
    assert (row.value, row.n) == (run.result["mean_ttft_ms"], interval["n"])
    for end in ("low", "high"):  # a short run has none
        assert pandas.isna(row[end]) if interval[end] is None else row[end] == interval[end]
    assert set(frame.metric[~frame.supported]) == {k + "_ms" for k in run.verdict.unsupported if k + "_ms" in run.result}
    assert "num_prompts" not in set(frame.metric)
    assert run.metrics("polars").schema == {"metric": polars.String, "value": polars.Float64, "low": polars.Float64, "high": polars.Float64, "n": polars.Int64, "supported": polars.Boolean}


TABLES = ["requests", "events", "samples", "scrapes", "series"]


def types(run, table):
    """The types of a table's columns in both libraries."""
    one, two = getattr(run, table)("pandas"), getattr(run, table)("polars")
    assert isinstance(one, pandas.DataFrame) and isinstance(two, polars.DataFrame)
    assert list(one.columns) == two.columns and one.shape == two.shape
    return {name: (str(one[name].dtype), str(two[name].dtype)) for name in one.columns}


@pytest.fixture(scope="module")
def broken(room):
    """A run in which no request succeeded: most columns have no value."""
    process, address = start("--fault", "http-500=1")
    try:
        return inferometer.call(["bench", "serve", "--base-url", address, "--num-prompts", 5, "--max-concurrency", 1, "--run-dir", room / "broken"])
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def empty(url, room):
    """A run that ended before its first request."""
    return inferometer.bench(url, num_prompts=3, request_rate=0.1, deadline=0.001, run_dir=room / "empty", **SMALL)


@pytest.mark.parametrize("table", TABLES)
def test_types_do_not_depend_on_the_values(runs, broken, empty, table):
    assert (broken.completed, broken.failed, empty.completed) == (0, 5, 0)
    good = types(runs[0], table)
    for other in (broken, empty):
        bad = types(other, table)
        common = set(good) & set(bad)
        assert len(common) > 5 and {k: good[k] for k in common} == {k: bad[k] for k in common}
        assert {"object", "Null", "Object"}.isdisjoint(t for pair in (*good.values(), *bad.values()) for t in pair)


def test_what_was_not_measured_is_not_zero(broken, empty):
    for run in (broken, empty):
        assert run.result["mean_ttft_ms"] == 0.0 and run.number("mean_ttft_ms") is None and run.number("p99_ttft_ms") is None
        assert "p99_ttft_ms" not in set(run.metrics().metric)
        assert run._repr_html_().find("INVALID") < run._repr_html_().find("n/a")
    assert empty.partial and "stopped early" in empty._repr_html_()


def test_columns_without_a_value_and_tables_without_a_row(broken):
    requests = broken.requests()
    assert requests.ttft_ms.isna().all() and str(requests.ttft_ms.dtype) == "Float64"
    assert requests.output_tokens.dtype == "Int64" and broken.requests("polars")["ttft_ms"].dtype == polars.Float64
    events = broken.events()
    assert len(events) == 0 and str(events.since_sent_ms.dtype) == "Float64" and str(events.choices.dtype) == "boolean"


def test_compare(runs, room):
    comparison = inferometer.compare(runs[0], room / "run2", gate="output_throughput>-99%")
    assert comparison.sides == ["run 1", "run 2"] and comparison.exit_code in (0, 6)
    change = comparison.change("output_throughput")
    assert (change.base, change.value) == (runs[0].output_throughput, runs[1].output_throughput)
    assert change.change == pytest.approx(change.value / change.base - 1)
    assert [limit.limit for limit in comparison.gate] == ["output_throughput>-99%"]
    frame, polar = comparison.frame(), comparison.frame("polars")
    assert list(frame.columns) == polar.columns and len(frame) == polar.height == len(comparison.changes)
    assert frame.better.dtype == "boolean" and frame.p.dtype == "Float64" and polar["better"].dtype == polars.Boolean
    with pytest.raises(KeyError, match="output_throughput"):
        comparison.change("p99_nonsense")
    repeats = inferometer.compare(runs, [runs[1], runs[0]], metrics=["output_throughput", "mean_ttft"])
    assert {c.metric for c in repeats.changes} == {"output_throughput", "mean_ttft_ms"}
    with pytest.raises(inferometer.InferometerError, match="nonsense") as refused:
        inferometer.compare(*runs, metrics="nonsense")
    assert refused.value.exit_code == 2


def test_a_comparison_that_means_nothing(runs, broken):
    comparison = inferometer.compare(runs[0], broken)
    assert not comparison.comparable and any(doubt.severe for doubt in comparison.doubts)
    assert comparison.change("mean_ttft_ms").value is None and comparison.change("mean_ttft_ms").change is None
    assert comparison._repr_html_().find("NOT COMPARABLE") < comparison._repr_html_().find("<table")


def test_find(url, room):
    search = {"vary": "concurrency", "from_": 1, "to": 2, "probe": "1s", "confirm": 1, "cooldown": 0.1, **SMALL}
    found = inferometer.find("failed<50%", url, output=room / "found", **search)
    assert found.load == 2.0 and found.confirmed and found.exit_code == 0
    assert (found.folder, found.slo, found.vary) == (str(room / "found"), "failed<50%", "concurrency")
    curve = found.curve()
    assert list(curve.load) == [1.0, 2.0] and curve.holds.all() and curve.holds.dtype == "boolean"
    assert curve.value.isna().all() and curve.value.dtype == "string"
    again = inferometer.load(curve.run.iloc[-1])
    assert again.completed >= curve.requests.iloc[-1] > 0  # the search leaves the beginning of a probe out
    none = inferometer.find("p99_ttft<=1us", url, output=room / "none", **search)
    assert none.load is None and not none.confirmed and none.exit_code == 1
    assert none.curve("polars")["holds"].to_list() == [False]
    with pytest.raises(inferometer.InferometerError, match="slo"):
        inferometer.find("nonsense", url)


def test_find_a_map(url, room):
    found = inferometer.find("failed<50%", url, map="input-len=4,8", vary="concurrency", from_=1, to=1, probe=1, confirm=1, cooldown=0.1, output_len=2, output=room / "map")
    assert [edge.value for edge in found.edges] == ["4", "8"] and set(found.curve().value) == {"4", "8"}
    with pytest.raises(ValueError, match="edges"):
        found.load


SCENARIO = """
name: two
targets: {{sim: {{base_url: "{url}"}}}}
workload: {{dataset: random, input_len: 8, output_len: 4, num_prompts: 10}}
matrix: {{concurrency: [1, 2]}}
"""


def test_run(url, room):
    (room / "-two.yaml").write_text(SCENARIO.format(url=url))
    made = inferometer.run("-two.yaml", set={"workload.num_prompts": 12})
    assert made.complete and made.exit_code == 0 and made.folder == str(room / "results" / "two")
    assert [(p.state, p.values["concurrency"]) for p in made.points] == [("done", "1"), ("done", "2")]
    assert made.points[0].run().completed == 12 == made.points[0].numbers["completed"]
    frame = made.frame()
    assert list(frame.concurrency) == ["1", "2"] and frame.output_throughput.dtype == "Float64" and frame.error.isna().all()
    assert frame.columns.to_list() == made.frame("polars").columns
    broken = inferometer.run("-two.yaml", slo="p99_ttft<=1us", only=["concurrency=1"])
    assert broken.exit_code in (6, 7) and not broken.complete
    with pytest.raises(inferometer.InferometerError, match="wrokload") as refused:
        (room / "wrong.yaml").write_text(SCENARIO.format(url=url).replace("workload", "wrokload"))
        inferometer.run(pathlib.Path("wrong.yaml"))
    assert refused.value.exit_code == 2
    (room / "dead.yaml").write_text(SCENARIO.format(url="http://127.0.0.1:9"))
    with pytest.raises(inferometer.InferometerError, match="no point has a result"):
        inferometer.run("dead.yaml", output="dead")
