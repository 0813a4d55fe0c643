"""The module without the program: a script stands in for it and notes how it was called."""

import ast
import datetime
import html.parser
import importlib.util
import inspect
import io
import json
import os
import pathlib
import signal
import stat
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent.parent))

import inferometer  # noqa: E402
from inferometer import _html, _progress  # noqa: E402

spec = importlib.util.spec_from_file_location("wheels", HERE.parent.parent.parent / "scripts" / "wheels.py")
wheels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(wheels)

RESULT = {"label": "one", "p99_ttft_ms": 1.5, "inferometer": {"run": "/nowhere/run", "partial": False, "summary": ["SUSPECT: too short", "Output 1.5 tok/s"], "verdict": {"level": "SUSPECT", "line": "SUSPECT: too short", "reasons": ["short"], "checks": []}}}


class WithProgram(unittest.TestCase):
    """Each test has a program of its own, which writes its arguments to a file."""

    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.room = pathlib.Path(room.name)
        self.program(json.dumps(RESULT))

    def program(self, out="", err="", code=0):
        path = self.room / "program"
        path.write_text(
            f"#!{sys.executable}\nimport sys, json\njson.dump(sys.argv[1:], open({str(self.room / 'args')!r}, 'w'))\n"
            f"sys.stdout.write({out!r})\nsys.stderr.write({err!r})\nsys.exit({code})\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        patch = mock.patch.dict(os.environ, {"INFEROMETER_BINARY": str(path)})
        patch.start()
        self.addCleanup(patch.stop)

    def called(self):
        return json.loads((self.room / "args").read_text())

    def test_flags_are_words_of_their_own(self):
        run = inferometer.bench("http://x; rm -rf /", label="-a $(b)", num_prompts=3, seed=None, ignore_eos=True, goodput=["ttft:1", "tpot:2"])
        want = ["--base-url=http://x; rm -rf /", "--label=-a $(b)", "--num-prompts=3", "--ignore-eos", "--goodput", "ttft:1", "tpot:2"]
        self.assertEqual(self.called(), [*want, "--format", "json"])
        self.assertEqual((run.folder, run.label, run.exit_code, run.partial), ("/nowhere/run", "one", 0, False))
        self.assertEqual((run.verdict.level, run.verdict.valid, str(run.verdict)), ("SUSPECT", False, "SUSPECT: too short"))
        self.assertEqual(repr(run), "SUSPECT: too short\nOutput 1.5 tok/s")

    def test_each_type_of_value(self):
        for flags, want in [
            ({"self_timed": True}, ["--self-timed"]),
            ({"self_timed": False}, ["--no-self-timed"]),
            ({"insecure": False}, []),
            ({"duration": datetime.timedelta(minutes=1, microseconds=5)}, ["--duration=60.000005s"]),
            ({"duration": 1.5}, ["--duration=1.5"]),
            ({"duration": "2m"}, ["--duration=2m"]),
            ({"request_rate": float("inf")}, ["--request-rate=inf"]),
            ({"metric_percentiles": [50, 99.9]}, ["--metric-percentiles=50,99.9"]),
            ({"metric_percentiles": "50,90"}, ["--metric-percentiles=50,90"]),
            ({"header": {"X-A": "b=c", "X-D": 1}}, ["--header", "X-A=b=c", "X-D=1"]),
            ({"header": []}, []),
            ({"goodput": {"ttft": 200}}, ["--goodput", "ttft:200"]),
            ({"extra_body": {"a": [1, None]}}, ['--extra-body={"a": [1, null]}']),
            ({"run_dir": pathlib.Path("-x")}, ["--run-dir=-x"]),
        ]:
            with self.subTest(flags=flags):
                inferometer.bench(**flags)
                self.assertEqual(self.called(), ["bench", "serve", *want, "--format", "json"])

    def test_what_is_no_list_of_words_is_refused(self):
        for args, error in [
            ("bench serve", TypeError),
            (["bench", "serve", None], TypeError),
            (["bench", "serve", True], TypeError),
            (["bench", "serve", "a\0b"], ValueError),
            (["report", "x"], ValueError),
            (["bench", "serve", "--format", "vllm"], ValueError),
            (["bench", "serve", "--format=vllm"], ValueError),
        ]:
            with self.subTest(args=args), self.assertRaises(error):
                inferometer.call(args)
        for flags, error in [
            ({"num_promts": 1}, TypeError),  # Python's own word for a keyword that is not there
            ({"format": "json"}, TypeError),
            ({"goodput": ["--x"]}, ValueError),
            ({"header": {"a=b": "c"}}, ValueError),
            ({"metric_percentiles": ["50,", "99"]}, ValueError),
            ({"extra_body": {"a": float("nan")}}, ValueError),
            ({"label": ["a", "b"]}, TypeError),
            ({"label": {"a": 1}}, TypeError),
            ({"label": object()}, TypeError),
            ({"label": "a\0b"}, ValueError),
        ]:
            with self.subTest(flags=flags), self.assertRaises(error):
                inferometer.bench("http://x", **flags)
        for call, error in [
            (lambda: inferometer.compare("a"), ValueError),
            (lambda: inferometer.compare("gone", "gone"), FileNotFoundError),
            (lambda: inferometer.compare([], str(self.room)), ValueError),
            (lambda: inferometer.compare("a,b", str(self.room)), ValueError),
            (lambda: inferometer.run(["bench", "serve"]), TypeError),
            (lambda: inferometer.find(), TypeError),
        ]:
            with self.assertRaises(error):
                call()
        self.assertFalse((self.room / "args").exists())

    def test_a_result_comes_with_any_exit_code_and_none_is_an_error(self):
        self.program(json.dumps(RESULT), code=7)
        self.assertEqual(inferometer.call(["eval"]).exit_code, 7)
        self.program("", "x" * 9000 + "connection refused", 1)
        with self.assertRaisesRegex(inferometer.InferometerError, "exit code 1.*connection refused") as got:
            inferometer.call(["exec", "spec.json"])
        self.assertEqual(got.exception.exit_code, 1)
        self.assertLess(len(str(got.exception)), 5000)
        for out in ["[]", "{}", '{"inferometer": 3}', "half {"]:
            self.program(out)
            with self.subTest(out=out), self.assertRaises(inferometer.InferometerError):
                inferometer.call(["bench", "serve"])

    @unittest.skipIf(sys.platform == "win32", "signals of Unix")
    def test_ctrl_c_leaves_a_run(self):
        ready = self.room / "ready"
        for out, want in [(json.dumps({**RESULT, "inferometer": {"run": "/x", "partial": True}}), True), ("", None)]:
            ready.unlink(missing_ok=True)
            (self.room / "program").write_text(
                f"#!{sys.executable}\nimport signal, sys\n"
                f"def end(*_):\n    sys.stdout.write({out!r})\n    sys.stdout.flush()\n    sys.exit(3)\n"
                f"signal.signal(signal.SIGINT, end)\nopen({str(ready)!r}, 'w').close()\nwhile True: signal.pause()\n"
            )

            def press():
                while not ready.exists():
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGINT)

            key = threading.Thread(target=press)
            key.start()
            with self.subTest(want=want), self.assertRaises(inferometer.Interrupted) as got:
                inferometer.bench("http://x")
            key.join()
            self.assertIsInstance(got.exception, KeyboardInterrupt)
            self.assertEqual(got.exception.run and (got.exception.run.partial, got.exception.run.exit_code), want and (True, 3))

    def test_a_path_never_is_a_flag(self):
        folder = self.room / "-o"
        folder.mkdir()
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.room)
        inferometer.load("-o")
        self.assertEqual(self.called(), ["report", os.path.abspath("-o"), "--format", "json"])
        with self.assertRaisesRegex(FileNotFoundError, "give the folder of a run"):
            inferometer.load("-p")

    def test_numbers_that_are_none_of_json(self):
        self.program(json.dumps({**RESULT, "a": float("nan"), "b": float("inf")}))
        result = inferometer.call(["eval"]).result
        self.assertNotEqual(result["a"], result["a"])
        self.assertEqual(result["b"], float("inf"))

    def test_a_result_of_no_run(self):
        for inner in [{}, {"run": None}, {"run": 3}]:
            self.program(json.dumps({"inferometer": inner}))
            with self.subTest(inner=inner), self.assertRaisesRegex(inferometer.InferometerError, "names no folder"):
                inferometer.load(self.room)

    def test_a_frame_that_can_not_be_made_says_what_to_do(self):
        run = inferometer.call(["eval"])
        (self.room / "args").unlink()
        with mock.patch.dict(sys.modules, {"polars": None}), self.assertRaisesRegex(inferometer.FrameMissing, r"pip install 'inferometer\[polars\]'"):
            run.requests("polars")
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(inferometer.FrameMissing, r"pip install 'inferometer\[pandas\]'"):
            run.events()
        with self.assertRaisesRegex(ValueError, "give 'pandas' or 'polars'"):
            run.samples("spark")
        self.assertFalse((self.room / "args").exists(), "the program was called for nothing")


class Completion(unittest.TestCase):
    """What an editor and a notebook know of a function without calling it."""

    def test_every_keyword_has_a_type_and_a_line(self):
        for function in (inferometer.bench, inferometer.find, inferometer.compare, inferometer.run):
            parameters = inspect.signature(function).parameters
            self.assertNotIn(inspect.Parameter.VAR_KEYWORD, [p.kind for p in parameters.values()])
            for name, p in parameters.items():
                with self.subTest(function=function.__name__, name=name):
                    self.assertIsNot(p.annotation, inspect.Parameter.empty)
                    self.assertRegex(function.__doc__, rf"(?m)^        \*?{name}: \S")
        self.assertGreater(len(inspect.signature(inferometer.bench).parameters), 150)
        self.assertIn("Default: 1000.", inferometer.bench.__doc__)

    def test_it_is_python_3_8(self):
        for path in (HERE.parent.parent / "inferometer").glob("*.py"):
            with self.subTest(path=path.name):
                ast.parse(path.read_text("utf-8"), feature_version=(3, 8))


class Tags(html.parser.HTMLParser):
    """Which elements and attributes a page has, and its text."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


class Pages(unittest.TestCase):
    """What a notebook shows, of words that somebody else chose."""

    HOSTILE = "<script>alert(1)</script>\" onmouseover='x' \x1b[31m\u202e&lt;" + "x" * 5000

    def shown(self, value, begins):
        page = value._repr_html_()
        tags = Tags(page)
        self.assertLessEqual(tags.tags, {"div", "span", "table", "tr", "th", "td", "b", "details", "summary"})
        self.assertLessEqual(tags.attributes, {"style"})
        self.assertIn("<script>alert(1)</script>", tags.text)
        self.assertNotRegex(tags.text, "[\x1b\u202e]")
        self.assertLess(len(page), 20000)
        self.assertTrue(tags.text.startswith(begins), tags.text[:200])
        return tags.text

    def test_a_run(self):
        h = self.HOSTILE
        verdict = {"level": "INVALID", "line": "INVALID: 2 of 3 requests failed, " + h, "reasons": ["steal"], "checks": [{"name": "other", "sentence": "passed"}], "unsupported": ["p99_ttft"]}
        result = {"label": h, "model_id": h, "completed": 1, "failed": 2, "duration": 3.0, "request_throughput": 0.3333333, "output_throughput": None, "mean_ttft_ms": 1234.5678, "median_ttft_ms": 7.0, "p99_ttft_ms": 9.0}
        text = self.shown(inferometer.Run(h, {**result, "inferometer": {"verdict": verdict, "partial": True}}), "INVALID stopped early 2 of 3 requests failed")
        for want in ("2 of 3 requestsin 3 s", "1,235", "0.3333", "p99 n/a ms"):
            self.assertIn(want, text)
        self.assertNotIn("passed", text)
        self.shown(inferometer.Run(h, {**result, "inferometer": {"verdict": None}}), "not judged")

    def test_the_others(self):
        h = self.HOSTILE
        doubts = [inferometer.Doubt(h, "x", h, True)]
        changes = [inferometer.Change("m", h, h, 1.0, 2.0, 1.0, 0.5, None, 0.01, "real", False)]
        report = {"accuracy": {"sides": [{"known": True, "value": 0.5, "low": 0.4, "high": 0.6, "answered": 60}, {"known": False, "answered": 0, "change": {"difference": -0.02, "call": h}}]}}
        text = self.shown(inferometer.Comparison([h, h], doubts, changes, [inferometer.Limit(h, h, "broken", h)], [h], report), "NOT COMPARABLE gate broken ")
        self.assertIn("-2.0 points", text)
        self.assertIn("1 of 1 changes are real: 0 better, 1 worse", text)
        shown = repr(inferometer.Comparison([h, h], [], changes, [inferometer.Limit(h, h, "broken", h)], [h]))
        self.assertEqual([line[:8] for line in shown.splitlines()], ["<script>", "  <scrip", "  gate <"])
        self.assertNotRegex(shown, "[\x1b\u202e]")
        edge = inferometer.Edge(2.5, 2.0, 3.0, True, h, h, "VALID", [h], 3, 1.0, h)
        curve = [{"x": 2.5, "holds": True, "numbers": {"verdict": h}, "run": h}]
        self.shown(inferometer.Found(h, h, h, [edge], {"map": h, "results": [{"value": h, "curve": curve}]}), "VALID ")
        self.shown(inferometer.Found(h, h, "rate", [inferometer.Edge(None, None, None, False, None, h, None, [], 1, 1.0)], {}), "holds at no load ")
        point = inferometer.Point(h, {h: h}, 1, "failed", h, None, [h], [], None, {}, None)
        self.shown(inferometer.Experiment(h, h, [h], [point], [h], {}), "not judged incomplete ")

    def test_numbers(self):
        for value, want in [(0, "0"), (0.0, "0"), (40, "40"), (1234.5678, "1,235"), (12.34567, "12.35"), (0.0012345678, "0.001235"), (-2.5, "-2.500"), (None, "n/a"), (float("nan"), "n/a"), (float("inf"), "inf"), (True, "n/a"), ("<b>", "n/a"), (1e300, "1e+300"), (1e-300, "0.000000000")]:
            with self.subTest(value=value):
                self.assertEqual(_html.number(value), want)


class Said(unittest.TestCase):
    """What is shown of a program that is still at it."""

    def test_the_last_line(self):
        for said, want in [("", "…"), ("a\n", "a"), ("a\nb \x1b[31m\n\n", "b  [31m"), ("\r\n \n", "…")]:
            with self.subTest(said=said):
                self.assertEqual(_progress.last(said), want)

    def test_a_notebook(self):
        shown = []

        class Handle:
            def update(self, page, raw):
                shown.append(page["text/html"])

        def display(page, raw, display_id):
            shown.append(page["text/html"])
            return Handle()

        ipython = types.ModuleType("IPython")
        ipython.get_ipython = lambda: types.SimpleNamespace(kernel=True)
        ipython.display = types.ModuleType("IPython.display")
        ipython.display.display = display
        with mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": ipython.display}):
            with _progress.begin(None) as progress:
                progress.show("10/20 done\n")
                progress.show("11/20 <b>\n")
            with _progress.begin(False) as progress:
                progress.show("unseen")
        self.assertEqual([Tags(page).text for page in shown], ["10/20 done", "11/20 <b>", ""])

    def test_a_terminal_and_a_pipe(self):
        for terminal, want in [(True, "\r3/4 done" + " " * 71 + "\r" + " " * 79 + "\r"), (False, "")]:
            err = io.StringIO()
            err.isatty = lambda terminal=terminal: terminal
            with self.subTest(terminal=terminal), mock.patch.object(sys, "stderr", err), _progress.begin(None) as progress:
                progress.show("3/4 done\n")
            self.assertEqual(err.getvalue(), want)


class Finding(unittest.TestCase):
    def test_what_is_named_and_is_no_program(self):
        with mock.patch.dict(os.environ, {"INFEROMETER_BINARY": "/nowhere/at all"}), self.assertRaisesRegex(inferometer.BinaryNotFound, "INFEROMETER_BINARY"):
            inferometer.find_binary()

    def test_nowhere_and_a_relative_path(self):
        with tempfile.TemporaryDirectory() as room:
            trap = pathlib.Path(room, "inferometer")
            trap.write_text("#!/bin/sh\n")
            trap.chmod(0o755)
            before = os.getcwd()
            os.chdir(room)
            self.addCleanup(os.chdir, before)
            with mock.patch.dict(os.environ, {"PATH": "."}), mock.patch("sysconfig.get_path", return_value="/nowhere"):
                os.environ.pop("INFEROMETER_BINARY", None)
                with self.assertRaisesRegex(inferometer.BinaryNotFound, "pip install --force-reinstall"):
                    inferometer.find_binary()
            os.chdir(before)


class Versions(unittest.TestCase):
    def test_from_the_release(self):
        for release, want in [
            ("1.2.3", "1.2.3"),
            ("v1.2.3", "1.2.3"),
            ("v0.1.0-rc.1", "0.1.0rc1"),
            ("0.1.0-rc.10", "0.1.0rc10"),
            ("1.2.3-beta2", "1.2.3b2"),
            ("1.2.4-dev.5", "1.2.4.dev5"),
            ("0.0.1.dev1", "0.0.1.dev1"),
        ]:
            with self.subTest(release=release):
                self.assertEqual(wheels.pep440(release), want)
                self.assertRegex(want, f"^{wheels.PEP440}$")
        for release in ["", "nonsense", "1.2.3-rc", "1.2.3-rc.1.2", "1.2.3-nightly.4", "1.2.3-rc.1+x y", "1.2.3\n"]:
            with self.subTest(release=release), self.assertRaisesRegex(ValueError, "PEP 440"):
                wheels.pep440(release)


if __name__ == "__main__":
    unittest.main()
