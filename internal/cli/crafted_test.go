package cli

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// What a file may cost, however it was made.
const (
	craftedMemory = 1 << 30
	craftedTime   = 10 * time.Second // of processors: others may use them too
)

// craftedChild is set in the process that reads the files, so that its memory is its own.
const craftedChild = "INFEROMETER_CRAFTED"

// TestCraftedFiles: more than 200 journals, results and scenarios that nobody would write
// by mistake. None ends in a panic, takes a gigabyte, or ten seconds.
func TestCraftedFiles(t *testing.T) {
	if dir := os.Getenv(craftedChild); dir != "" {
		readCrafted(t, dir)
		return
	}
	if testfiles.RaceDetector {
		t.Skip("the race detector's own time and memory would be measured: CI runs this test without it")
	}
	t.Parallel()
	dir := t.TempDir()
	n := writeCrafted(t, dir)
	if n < 200 {
		t.Errorf("only %d files", n)
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestCraftedFiles$", "-test.timeout", "20m")
	child.Env = append(os.Environ(), craftedChild+"="+dir, "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
	out, err := child.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out[max(0, len(out)-8000):])
	}
	usage := child.ProcessState.SysUsage().(*syscall.Rusage)
	peak := usage.Maxrss
	if runtime.GOOS == "linux" {
		peak *= 1024
	}
	t.Logf("%d files, %d MB, %v of a processor", n, peak>>20, child.ProcessState.UserTime())
	if peak > craftedMemory {
		t.Errorf("%d MB were taken", peak>>20)
	}
}

// writeCrafted makes the files: the same ones each time.
func writeCrafted(t *testing.T, dir string) int {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 4))
	n := 0
	put := func(kind, name string, b []byte) {
		path := filepath.Join(dir, kind, fmt.Sprintf("%03d", n), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		n++
	}
	for _, lines := range mutations(r, journalSeed, 90) {
		put("journals", journal.FileName, packer.EncodeAll([]byte(lines), nil))
	}
	packed := packer.EncodeAll([]byte(journalSeed), nil)
	for range 20 { // and of the compressed file itself
		b := bytes.Clone(packed)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		put("journals", journal.FileName, b[:len(b)-r.IntN(2)*r.IntN(len(b))])
	}
	first := journalSeed[:strings.IndexByte(journalSeed, '\n')+1]
	for _, piece := range []string{"a", `{"sample":{}}` + "\n", `{"request":{"outcome":"complete","events":{"at":[` + strings.Repeat("1,", 1000)} {
		put("journals", journal.FileName, packer.EncodeAll([]byte(first+strings.Repeat(piece, (48<<20)/len(piece))), nil))
	}
	for _, text := range mutations(r, craftedResult, 70) {
		put("results", "result.json", []byte(text))
	}
	for _, text := range mutations(r, craftedScenario, 60) {
		put("scenarios", "scenario.yaml", []byte(text))
	}
	for _, text := range []string{
		craftedScenario + "repeat: 2305843009213693952\n",
		strings.Replace(craftedScenario, "command:", "replicas: 100000\n    command:", 1),
		"name: x\nextends: scenario.yaml\n", "name: x\nextends: /dev/zero\n", "a: &a [*a]\n",
		"a: &a [x,x,x,x,x,x,x,x]\n" + laughs(12),
	} {
		put("scenarios", "scenario.yaml", []byte(text))
	}
	return n
}

func laughs(levels int) string {
	var b strings.Builder
	for i := range levels {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 8), ","))
	}
	return b.String()
}

const craftedResult = `{"date": "20260101-000000", "backend": "vllm", "model_id": "m", "num_prompts": 3, "request_rate": "inf", "max_concurrency": 2, "duration": 2.0, "completed": 3, "total_input_tokens": 9, "total_output_tokens": 9, "request_throughput": 1.5, "output_throughput": 4.5, "total_token_throughput": 9.0, "input_lens": [3, 3, 3], "output_lens": [3, 3, 3], "ttfts": [0.02, 0.03, 0.01], "itls": [[0.1, 0.2], [0.1, 0.1], [0.3, 0.1]], "mean_ttft_ms": 20.0, "median_ttft_ms": 20.0, "std_ttft_ms": 8.1, "p99_ttft_ms": 29.8, "mean_tpot_ms": 150.0, "p99_tpot_ms": 199.0, "mean_itl_ms": 150.0, "p99_itl_ms": 295.0}`

const craftedScenario = `name: x
targets:
  a:
    command: "server --port {port}"
    devices: [0, 1]
  b:
    base_url: http://127.0.0.1:9
model: m
workload:
  dataset: random
  input_len: 32
  output_len: 8
  num_prompts: 10
  seed: 3
matrix:
  concurrency: [1, 2, 4]
slo: p99_ttft<=500ms
warmup: 2
`

var number = regexp.MustCompile(`-?\b\d+(\.\d+)?\b`)

// extremes take the place of a number.
var extremes = []string{
	"-9223372036854775808", "9223372036854775807", "9223372036854775808", "2305843009213693952", "-1", "0", "1e308", "-1e308", "1e-320",
	"1e999", "NaN", "Infinity", "null", `"x"`, "[]", "{}", "4294967296", "1000000000", "0.1", "true",
}

// mutations are n texts, each of them spoiled in one way.
func mutations(r *rand.Rand, seed string, n int) (out []string) {
	places := number.FindAllStringIndex(seed, -1)
	for i := range n {
		switch i % 6 {
		case 0, 1, 2: // an extreme number
			p := places[r.IntN(len(places))]
			out = append(out, seed[:p[0]]+extremes[r.IntN(len(extremes))]+seed[p[1]:])
		case 3: // a flipped bit
			b := []byte(seed)
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			out = append(out, string(b))
		case 4: // cut off, or a part twice
			at, to := r.IntN(len(seed)), r.IntN(len(seed))
			out = append(out, seed[:at]+seed[min(at, to):])
		case 5: // nested deeply, or one thing very long
			p := places[r.IntN(len(places))]
			long := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
			if r.IntN(2) == 0 {
				long = `"` + strings.Repeat("é\x1b[31m", 200_000) + `"`
			}
			out = append(out, seed[:p[0]]+long+seed[p[1]:])
		}
	}
	return out
}

// readCrafted reads all files with all commands that take them.
func readCrafted(t *testing.T, dir string) {
	within := func(limit time.Duration, args ...string) {
		t.Helper()
		began := cpuTime(t)
		code := Main(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
		if took := cpuTime(t) - began; took > limit {
			t.Errorf("%q took %v", args, took)
		}
		if code < 0 || code > command.ExitUndecided+3 {
			t.Errorf("%q ended with %d", args, code)
		}
	}
	try := func(args ...string) { t.Helper(); within(craftedTime, args...) }
	each := func(kind string, do func(path string)) {
		paths, err := filepath.Glob(filepath.Join(dir, kind, "*"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no %s: %v", kind, err)
		}
		for _, path := range paths {
			do(path)
		}
	}
	before := ""
	each("journals", func(path string) {
		for _, format := range []string{"table", "json", "html", "csv"} {
			try("report", path, "--format", format, "--output", filepath.Join(dir, "out"))
		}
		if before != "" {
			try("compare", before, path)
		}
		before = path
	})
	each("results", func(path string) {
		file := filepath.Join(path, "result.json")
		try("compare", before, file)
		try("compare", file, file, "--format", "html")
		before = file
	})
	each("scenarios", func(path string) { try("run", filepath.Join(path, "scenario.yaml"), "--plan") })
	for _, kind := range []string{"journals", "results"} {
		// One command for more than a hundred files: on a machine that others use it takes longer than for one.
		within(2*craftedTime, "serve-report", filepath.Join(dir, kind), "-o", filepath.Join(dir, "site-"+kind))
		if _, err := os.Stat(filepath.Join(dir, "site-"+kind, "index.html")); err != nil {
			t.Errorf("bad %s keep serve-report from its pages: %v", kind, err)
		}
	}
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
