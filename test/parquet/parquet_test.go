// Package parquet reads the Parquet files that we write with DuckDB and pandas, by
// the very query and lines that docs/report.md shows. `make test-parquet` gets both.
package parquet

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

func TestOthersReadIt(t *testing.T) {
	python := realserver.Lines(t, "INFEROMETER_PARQUET", 1, "make test-parquet")[0]
	program, dir := realserver.Build(t), t.TempDir()
	sim, err := subprocess.Start(program, "--ttft", "2ms", "--itl", "1ms", "--fault", "http-500=0.2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	for _, label := range []string{"four", "ümlaut '\"|"} {
		run(program, "bench", "serve", "--base-url", sim.URL, "--num-prompts", "100", "--max-concurrency", "4",
			"--random-input-len", "8", "--random-output-len", "4", "--run-dir", label, "--label", label, "--quiet")
	}
	run(program, "report", "four", "ümlaut '\"|", "-o", "requests.parquet")
	// The CSV is ours too, but read by no code of ours: both must say the same.
	run(program, "report", "four", "ümlaut '\"|", "-o", "requests.csv", "--table", "requests")

	query, lines := fromDocs(t, "sql"), fromDocs(t, "python")
	got := run(python, "-c", "import duckdb, sys\nfor row in duckdb.sql(sys.argv[1]).fetchall(): print(*row, sep='\\t')", query)
	rows := strings.Split(strings.TrimSpace(got), "\n")
	if len(rows) != 2 || !regexp.MustCompile(`^four\t100\t\d+\t\d+\.\d+$`).MatchString(rows[0]) || !strings.HasPrefix(rows[1], "ümlaut '\"|\t100\t") {
		t.Errorf("DuckDB: %q", got)
	}
	if got := run(python, "-c", lines); strings.Count(got, "0.99") != 2 || !strings.Contains(got, "ümlaut") {
		t.Errorf("pandas: %s", got)
	}
	run(python, "-c", `
import pandas as pd
a, b = pd.read_parquet("requests.parquet"), pd.read_csv("requests.csv", parse_dates=["due", "sent", "ended"])
assert list(a.columns) == list(b.columns) and len(a) == len(b) == 200, (a.shape, b.shape)
for name in a.columns:
    x, y = a[name], b[name]
    if str(x.dtype).startswith("datetime"):
        y = pd.to_datetime(y, utc=True)
        assert (x == y).all(), name
    elif name.endswith("_ms") or name.endswith("_s"):
        assert (((x - y).abs() < 1e-9) | (x.isna() & y.isna())).all(), name
    else:
        assert ((x == y) | (x.isna() & y.isna())).all(), name
assert 0 < (~a.ok).sum() < 200 and a[~a.ok].ttft_ms.isna().all() and a[a.ok].ttft_ms.notna().all()
assert (a.ended > a.sent).all() and a.due.dt.year.min() > 2020
`)
}

// fromDocs is the first block of this language in docs/report.md.
func fromDocs(t *testing.T, language string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$").FindSubmatch(b)
	if m == nil {
		t.Fatalf("docs/report.md shows no %s", language)
	}
	return string(m[1])
}
