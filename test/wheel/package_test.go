package wheel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

func root(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// checkout builds the package with the standard tools, by pyproject.toml: what is in the wheel is what
// scripts/wheels.py puts there, but for the version.
func (s *stage) checkout(t *testing.T, program string) {
	t.Setenv("INFEROMETER_BINARY", program)
	out := filepath.Join(s.dir, "checkout")
	s.run(t, s.python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", out, root(t))
	built, err := filepath.Glob(filepath.Join(out, "inferometer-*.whl"))
	if err != nil || len(built) != 1 {
		t.Fatalf("%v %v", built, err)
	}
	holds(t, built[0])
	s.run(t, s.tools, "-m", "twine", "check", "--strict", built[0])
	const listed = `
import re, sys, zipfile
def names(path): return {re.sub(r"inferometer-[^/]*[.](?=data|dist)", "", n) for n in zipfile.ZipFile(path).namelist()}
def heads(path):
    z = zipfile.ZipFile(path)
    return [l for l in z.read(next(n for n in z.namelist() if n.endswith("/METADATA"))).decode().splitlines() if not l.startswith("Version:")]
assert names(sys.argv[1]) == names(sys.argv[2]), names(sys.argv[1]) ^ names(sys.argv[2])
assert heads(sys.argv[1]) == heads(sys.argv[2])
for want in ("Requires-Python: >=3.8", 'Requires-Dist: pandas>=2.0; extra == "pandas"', "License-Expression: Apache-2.0"):
    assert want in heads(sys.argv[1]), want
`
	s.run(t, s.python, "-c", listed, s.wheel, built[0])
}

// wrong are calls that a type checker must not let pass, one a line.
const wrong = `import inferometer
inferometer.bench("http://x", num_promts=3)
inferometer.bench("http://x", num_prompts="3")
inferometer.bench("http://x", backend="vlm")
inferometer.bench("http://x", ignore_eos=1)
inferometer.find(base_url="http://x")
inferometer.find("failed<1%", vary="rates")
inferometer.compare(3, 4)
inferometer.run(["bench", "serve"])
inferometer.load("x").requests("spark")
inferometer.load("x").requests("polars").iloc
`

// types lets mypy read the package and what users write.
func (s *stage) types(t *testing.T) {
	cache := filepath.Join(s.dir, "mypy")
	check := func(args ...string) (string, error) {
		t.Setenv("MYPYPATH", filepath.Join(root(t), "python"))
		return s.try(s.tools, append([]string{"-m", "mypy", "--strict", "--cache-dir", cache, "--no-error-summary"}, args...)...)
	}
	if out, err := check(filepath.Join(root(t), "python", "inferometer"), filepath.Join(root(t), "python", "tests", "example.py")); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	file := filepath.Join(s.dir, "wrong.py")
	if err := os.WriteFile(file, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := check(file)
	for i, line := range strings.Split(strings.TrimSpace(wrong), "\n")[1:] {
		if !strings.Contains(out, "wrong.py:"+decimal(uint32(i+2))+": error:") {
			t.Errorf("mypy has nothing against %s\n%s", line, out)
		}
	}
}

// page runs the examples of docs/python.md, one after the other, against the simulator that the page starts.
func (s *stage) page(t *testing.T) {
	text := string(read(t, filepath.Join(root(t), "docs", "python.md")))
	var program []string
	for _, block := range regexp.MustCompile("(?ms)^```python\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		program = append(program, block[1])
	}
	if len(program) < 5 {
		t.Fatalf("the page has %d examples", len(program))
	}
	sim, err := subprocess.Start(filepath.Join(filepath.Dir(s.python), "inferometer"), "--ttft", "20ms", "--itl", "2ms")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	t.Setenv("PYTHONPATH", s.module(t))
	t.Setenv("INFEROMETER_BINARY", filepath.Join(filepath.Dir(s.python), "inferometer"))
	out := s.run(t, s.tools, "-c", strings.ReplaceAll(strings.Join(program, "\n"), "http://127.0.0.1:18000", sim.URL))
	for _, want := range []string{"VALID", "Change(metric='mean_ttft_ms'", "request_throughput  mean_e2el_ms", "output_throughput  median_ttft_ms", "p99_ttft_ms", "tokens_per_s  in_flight", " against one: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in what the page prints:\n%s", want, out)
		}
	}
}

// runTests runs the module's tests against the simulator, with the wheel that is installed.
func (s *stage) runTests(t *testing.T) {
	t.Setenv("PYTHONPATH", s.module(t))
	t.Setenv("INFEROMETER_BINARY", filepath.Join(filepath.Dir(s.python), "inferometer"))
	tests := filepath.Join(root(t), "python", "tests", "test_real.py")
	out := s.run(t, s.tools, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--durations", "5", "--basetemp", filepath.Join(s.dir, "pytest"), tests)
	if strings.Contains(out, "skipped") || !strings.Contains(out, " passed") {
		t.Error(out)
	}
}
