"""The module without the program: a script stands in for it and notes how it was called."""

import importlib.util
import json
import os
import pathlib
import stat
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parent.parent))

import inferometer  # noqa: E402
from inferometer import _call, _frames  # noqa: E402

spec = importlib.util.spec_from_file_location("wheels", HERE.parent.parent.parent / "scripts" / "wheels.py")
wheels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(wheels)

RESULT = {"label": "one", "p99_ttft_ms": 1.5, "inferometer": {"run": "/nowhere/run", "partial": False, "verdict": {"level": "SUSPECT", "reasons": ["short"], "checks": []}}}


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
        run = inferometer.bench_serve("http://x; rm -rf /", num_prompts=3, label="-a $(b)", ignore_eos=True, seed=None, goodput=["ttft:1", "tpot:2"])
        want = ["bench", "serve", "--base-url", "http://x; rm -rf /", "--num-prompts=3", "--label=-a $(b)", "--ignore-eos", "--goodput", "ttft:1", "tpot:2"]
        self.assertEqual(self.called(), [*want, "--format", "json"])
        self.assertEqual((run.folder, run.label, run.exit_code, run.partial), ("/nowhere/run", "one", 0, False))
        self.assertEqual((run.verdict.level, run.verdict.valid, str(run.verdict)), ("SUSPECT", False, "SUSPECT (short)"))

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
                inferometer.run(args)
        for flags, error in [({"a b": 1}, ValueError), ({"goodput": ["--x"]}, ValueError), ({"format": "json"}, ValueError), ({"x": {}}, TypeError)]:
            with self.subTest(flags=flags), self.assertRaises(error):
                inferometer.bench_serve("http://x", **flags)
        self.assertFalse((self.room / "args").exists())

    def test_a_result_comes_with_any_exit_code_and_none_is_an_error(self):
        self.program(json.dumps(RESULT), code=7)
        self.assertEqual(inferometer.run(["eval"]).exit_code, 7)
        self.program("", "x" * 9000 + "connection refused", 1)
        with self.assertRaisesRegex(inferometer.InferometerError, "exit code 1.*connection refused") as got:
            inferometer.run(["exec", "spec.json"])
        self.assertEqual(got.exception.exit_code, 1)
        self.assertLess(len(str(got.exception)), 5000)
        for out in ["[]", "{}", '{"inferometer": 3}', "half {"]:
            self.program(out)
            with self.subTest(out=out), self.assertRaises(inferometer.InferometerError):
                inferometer.run(["bench", "serve"])

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
        result = inferometer.run(["eval"]).result
        self.assertNotEqual(result["a"], result["a"])
        self.assertEqual(result["b"], float("inf"))

    def test_a_result_of_no_run(self):
        for inner in [{}, {"run": None}, {"run": 3}]:
            self.program(json.dumps({"inferometer": inner}))
            with self.subTest(inner=inner), self.assertRaisesRegex(inferometer.InferometerError, "names no folder"):
                inferometer.load(self.room)

    def test_a_frame_that_can_not_be_made_says_what_to_do(self):
        run = inferometer.run(["eval"])
        (self.room / "args").unlink()
        with mock.patch.dict(sys.modules, {"polars": None}), self.assertRaisesRegex(inferometer.FrameMissing, r"pip install 'inferometer\[polars\]'"):
            run.requests("polars")
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(inferometer.FrameMissing, r"pip install 'inferometer\[pandas\]'"):
            run.events()
        with self.assertRaisesRegex(ValueError, "give 'pandas' or 'polars'"):
            run.samples("spark")
        self.assertFalse((self.room / "args").exists(), "the program was called for nothing")


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
