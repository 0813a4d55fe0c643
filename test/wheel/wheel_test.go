// Package wheel builds the Python wheel of this platform, installs it into an empty
// environment, and uses it as a stranger would. `make test-wheel` gets what it needs.
package wheel

import (
	"archive/zip"
	"bytes"
	"debug/macho"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

// stage is where the wheel is tried.
type stage struct {
	dir, wheel, python string // an empty environment's python
	tools              string // a python with pandas, Polars and twine
}

func (s *stage) try(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(s.dir, "state"), "PYTHONDONTWRITEBYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (s *stage) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := s.try(name, args...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

func platform() string { return runtime.GOOS + "-" + runtime.GOARCH }

// build makes the wheel of a program; twice it must be the same bytes.
func (s *stage) build(t *testing.T, out, program string) string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "wheels.py"))
	if err != nil {
		t.Fatal(err)
	}
	said := s.run(t, "python3", script, "--out", filepath.Join(s.dir, out), "--platform", platform(), "--binary", program, "--version", "0.0.1.dev1")
	return strings.TrimSpace(said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:])
}

func TestWheel(t *testing.T) {
	s := &stage{tools: realserver.Lines(t, "INFEROMETER_WHEEL", 1, "make test-wheel")[0], dir: t.TempDir()}
	program := realserver.Build(t)
	s.wheel = s.build(t, "one", program)
	again := s.build(t, "two", program)
	if !bytes.Equal(read(t, s.wheel), read(t, again)) {
		t.Error("two builds of one program differ")
	}
	s.run(t, s.tools, "-m", "twine", "check", "--strict", s.wheel)
	// W005 is for packages of several modules that share names with others; all else must hold.
	s.run(t, filepath.Join(filepath.Dir(s.tools), "check-wheel-contents"), s.wheel)
	holds(t, s.wheel)

	s.run(t, "python3", "-m", "venv", filepath.Join(s.dir, "venv"))
	bin := filepath.Join(s.dir, "venv", "bin")
	s.python = filepath.Join(bin, "python")
	before := tree(t, filepath.Join(s.dir, "venv"))
	s.run(t, s.python, "-m", "pip", "install", "--no-index", s.wheel)
	s.run(t, s.python, "-m", "pip", "check")

	want := s.run(t, program, "version")
	if got := s.run(t, filepath.Join(bin, "inferometer"), "version"); got != want {
		t.Errorf("the installed program says %q, want %q", got, want)
	}
	if got := s.run(t, s.python, "-m", "inferometer", "version"); got != want {
		t.Errorf("python -m inferometer says %q, want %q", got, want)
	}
	if !bytes.Equal(read(t, filepath.Join(bin, "inferometer")), read(t, program)) {
		t.Error("what is called is not the program itself")
	}
	if out, err := s.try(s.python, "-m", "inferometer", "no-such-command"); err == nil || exitCode(err) != 2 {
		t.Errorf("its exit code is lost: %v\n%s", err, out)
	}
	t.Run("checkout", func(t *testing.T) { s.checkout(t, program) })
	t.Run("frames", func(t *testing.T) { s.frames(t) })
	t.Run("types", func(t *testing.T) { s.types(t) })
	t.Run("real", func(t *testing.T) { s.runTests(t) })
	t.Run("page", func(t *testing.T) { s.page(t) })
	t.Run("notebook", func(t *testing.T) { s.notebook(t) })
	t.Run("hostile", func(t *testing.T) { s.hostile(t) })

	s.run(t, s.python, "-m", "pip", "uninstall", "--yes", "inferometer")
	if after := tree(t, filepath.Join(s.dir, "venv")); after != before {
		t.Errorf("uninstalling leaves something:\nbefore %s\nafter %s", before, after)
	}
}

// frames makes a run by the module, in the empty environment, and reads it by both libraries.
func (s *stage) frames(t *testing.T) {
	sim, err := subprocess.Start(filepath.Join(filepath.Dir(s.python), "inferometer"), "--ttft", "5ms", "--itl", "1ms", "--fault", "http-500=0.2", "--engine", "batch")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	out := s.run(t, s.python, "-c", `
import sys, inferometer
run = inferometer.bench(sys.argv[1], num_prompts=60, max_concurrency=4, random_input_len=8, random_output_len=6, run_dir="-run", label="ä'\"$(x)", metric_percentiles="50,99", scrape_every="200ms")
again = inferometer.load("-run")
assert run.exit_code == 0 and again.exit_code is None
assert run.folder == again.folder and run.result["p99_ttft_ms"] == again.result["p99_ttft_ms"], (run.folder, again.folder)
assert run.verdict == again.verdict and run.verdict.level in ("VALID", "SUSPECT", "INVALID"), run.verdict
try:
    run.requests()
except inferometer.FrameMissing as err:
    print(err)
`, sim.URL)
	if !strings.Contains(out, "pip install 'inferometer[pandas]'") {
		t.Errorf("without pandas it says %q", out)
	}
	s.run(t, s.tools, "-c", framesProgram, s.module(t), filepath.Join(filepath.Dir(s.python), "inferometer"))
}

// module is the folder that the wheel was installed into.
func (s *stage) module(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(s.run(t, s.python, "-c", "import inferometer, os; print(os.path.dirname(os.path.dirname(inferometer.__file__)))"))
}

// framesProgram holds the frames against the result, which the program computes by itself.
const framesProgram = `
import os, sys
sys.path.insert(0, sys.argv[1])
os.environ["INFEROMETER_BINARY"] = sys.argv[2]
import inferometer
run = inferometer.load("-run")
result = run.result
near = lambda a, b: abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1)
a, b = run.requests("pandas"), run.requests("polars")
assert type(a).__module__.startswith("pandas") and type(b).__module__.startswith("polars")
assert list(a.columns) == b.columns and a.shape == b.shape == (60, len(b.columns)), (a.shape, b.shape)
ok = a[a.ok]
assert len(ok) == result["completed"] and 0 < result["failed"] == len(a) - len(ok)
assert set(a.run) == {"ä'\"$(x)"}, set(a.run)
for name in "mean", "median", "p99":
    q = {"median": 0.5, "p99": 0.99}.get(name)
    for metric in "ttft", "tpot":
        want = result[name + "_" + metric + "_ms"]
        one = ok[metric + "_ms"].mean() if q is None else ok[metric + "_ms"].quantile(q)
        column = b.filter(b["ok"])[metric + "_ms"]
        two = column.mean() if q is None else column.quantile(q, interpolation="linear")
        assert near(one, want) and near(two, want), (name, metric, one, two, want)
assert ok.output_tokens.sum() == result["total_output_tokens"]
events = run.events()
assert list(events.columns) == run.events("polars").columns and len(events) == run.events("polars").height == a.events.sum()
chunks = events[events.choices & events.request.isin(ok.request)]
first = chunks.groupby("request").since_sent_ms.min()
assert near(first.mean(), result["mean_ttft_ms"]), (first.mean(), result["mean_ttft_ms"])
gaps = chunks.groupby("request").since_sent_ms.diff().dropna()
assert near(gaps.mean(), result["mean_itl_ms"]), (gaps.mean(), result["mean_itl_ms"])
samples, scrapes = run.samples(), run.scrapes("polars")
assert len(samples) >= 1 and samples.sent.max() <= 60 and samples.cpu_s.is_monotonic_increasing
assert set(scrapes["when"]) >= {"before", "after"}, set(scrapes["when"])
name = "vllm:generation_tokens_total"
if name in set(scrapes["name"]):
    of = lambda when: scrapes.filter((scrapes["name"] == name) & (scrapes["when"] == when))["value"].sum()
    assert of("after") - of("before") >= result["total_output_tokens"]
assert scrapes.filter(scrapes["le"].is_not_null()).height > 0
`

// hostile gives it what is no run, or one that somebody spoiled.
func (s *stage) hostile(t *testing.T) {
	out := s.run(t, s.python, "-c", `
import inferometer, json, os, shutil
def refused(path, *words):
    try:
        inferometer.load(path)
    except (inferometer.InferometerError, FileNotFoundError) as err:
        assert all(w in str(err) for w in words), (path, str(err))
        return
    raise AssertionError(path + " was read")
os.makedirs("empty")
refused("empty", "exit code 1")
refused("gone", "is not there")
refused("--help", "is not there")
open("-x", "w").write("no result")
refused("-x", "neither a run's folder nor a result")
open("foreign.json", "w").write('{"completed": 3}')
refused("foreign.json", "was not written by inferometer")
whole = json.load(open("-run/result.json"))
whole["mean_ttft_ms"] = float("nan")
json.dump(whole, open("nan.json", "w"))
assert inferometer.load("nan.json").result["mean_ttft_ms"] > 0  # the journal counts, not the file
shutil.copytree("-run", "torn")
os.remove("torn/journal.jsonl.zst")
refused("torn", "journal.jsonl.zst")
with open("-run/journal.jsonl.zst", "rb") as f: half = f.read()
open("torn/journal.jsonl.zst", "wb").write(half[:len(half) // 2])
try:
    print("half", inferometer.load("torn").partial)
except inferometer.InferometerError as err:
    print("half", err)
try:
    inferometer.call(["bench", "serve", "--base-url", "http://127.0.0.1:9", "--num-promts", 3])
except inferometer.InferometerError as err:
    assert err.exit_code == 2 and "num-promts" in str(err), err
`)
	if !strings.Contains(out, "half ") {
		t.Error(out)
	}
}

// holds looks into the wheel: licences, tags, and a script that can be run.
func holds(t *testing.T, path string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var script, notices, licence bool
	for _, f := range z.File {
		script = script || strings.HasSuffix(f.Name, ".data/scripts/inferometer") && f.Mode()&0o111 != 0
		licence = licence || strings.HasSuffix(f.Name, "/licenses/LICENSE")
		notices = notices || strings.HasSuffix(f.Name, "/licenses/THIRD-PARTY-NOTICES.txt") && f.UncompressedSize64 > 10_000
		if strings.Contains(f.Name, "__pycache__") {
			t.Errorf("%s has no place in it", f.Name)
		}
	}
	if !script || !notices || !licence {
		t.Errorf("script %v, notices %v, licence %v", script, notices, licence)
	}
}

// The tag of the wheels for macOS is the oldest one that Go's linker writes into the program.
func TestMacOSTag(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "program")
	build := exec.Command("go", "build", "-o", path, filepath.Join(dir, "main.go"))
	build.Env = append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	f, err := macho.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const buildVersion = 0x32
	for _, load := range f.Loads {
		raw := load.Raw()
		if binary.LittleEndian.Uint32(raw) != buildVersion {
			continue
		}
		oldest := binary.LittleEndian.Uint32(raw[12:])
		tag := regexp.MustCompile(`macosx_(\d+)_(\d+)_arm64`).FindString(string(read(t, filepath.Join("..", "..", "scripts", "wheels.py"))))
		if want := "macosx_" + decimal(oldest>>16) + "_" + decimal(oldest>>8&0xff) + "_arm64"; tag != want {
			t.Errorf("scripts/wheels.py has %s, and Go's programs need %s", tag, want)
		}
		return
	}
	t.Error("the program does not say which macOS it needs")
}

// The module's own tests, by plain unittest.
func TestModule(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here: the tests of the Python module need it")
	}
	cmd := exec.Command(python, filepath.Join("..", "..", "python", "tests", "test_module.py"))
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
