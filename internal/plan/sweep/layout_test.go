package sweep

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/compat/shlex"
)

// The folders are those that the compatibility text names:
// SERVE--<name>-BENCH--<name>, and WL--<var>=<v> behind for a level of load.
func TestFolders(t *testing.T) {
	serve, bench := Item{{"max_num_seqs", json.Number("32")}}, Item{{"_benchmark_name", "fast"}, {"k", true}}
	for _, test := range []struct {
		serve, bench Item
		more         []string
		want         string
	}{
		{serve, bench, nil, "exp/SERVE--max_num_seqs=32-BENCH--fast"},
		{serve, Item{}, nil, "exp/SERVE--max_num_seqs=32"},
		{Item{}, bench, nil, "exp/BENCH--fast"},
		{Item{}, Item{}, nil, "exp"},
		{serve, Item{}, []string{"WL-", "request_rate=4"}, "exp/SERVE--max_num_seqs=32-WL--request_rate=4"},
		{Item{{"model", "../a/b'"}}, Item{}, nil, "exp/SERVE--model=___a_b"},
	} {
		if got := filepath.ToSlash(combFolder("exp", "BENCH-", test.serve, test.bench, test.more...)); got != test.want {
			t.Errorf("%s, %s: %s, want %s", test.serve, test.bench, got, test.want)
		}
	}
	if got := filepath.ToSlash(runFile("exp/BENCH--fast", 2)); got != "exp/BENCH--fast/run=2.json" {
		t.Error(got)
	}
}

func TestLinks(t *testing.T) {
	plan := Plan{
		Dir:         "exp",
		ServeParams: mustParams(t, `[{"max_num_seqs": 8}, {"max_num_seqs": 32}, {"other": 1}]`),
		BenchParams: mustParams(t, `[{"max_concurrency": 8.0}, {"max_concurrency": 32}, {"max_concurrency": "32"}]`),
	}
	var err error
	if plan.Links, err = ParseLinks("max_num_seqs = max_concurrency"); err != nil {
		t.Fatal(err)
	}
	all, err := plan.combs()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, combs := range all {
		for _, c := range combs {
			got = append(got, filepath.Base(c.folder))
		}
	}
	want := "SERVE--max_num_seqs=8-BENCH--max_concurrency=8.0 SERVE--max_num_seqs=32-BENCH--max_concurrency=32"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
	plan.Links = []Link{{"max_num_seqs", "nothing"}}
	if _, err := plan.combs(); !errors.Is(err, ErrPlan) {
		t.Errorf("a plan without a combination: %v", err)
	}
	for _, wrong := range []string{"a", "a=b=c", "a=b,"} {
		if l, err := ParseLinks(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, l)
		}
	}
}

// Two settings with one folder would share their results.
func TestSameFolder(t *testing.T) {
	plan := Plan{Dir: "exp", ServeParams: mustParams(t, `[{"model": "a/b"}, {"model": "a_b"}]`), BenchParams: NoParams()}
	_, err := plan.combs()
	if !errors.Is(err, ErrPlan) || !strings.Contains(err.Error(), "the same folder SERVE--model=a_b") {
		t.Error(err)
	}
}

func TestServerAddress(t *testing.T) {
	for command, want := range map[string]string{
		"vllm serve m":                           "http://localhost:8000",
		"vllm serve m --host 10.0.0.1 --port 81": "http://10.0.0.1:81",
		"vllm serve m --port=81 --host=0.0.0.0":  "http://127.0.0.1:81",
		"x -p 9":                                 "http://localhost:9",
		"inferometer sim --listen [::1]:99":      "http://[::1]:99",
		"inferometer sim --listen :99":           "http://127.0.0.1:99",
	} {
		words, _ := shlex.Split(command)
		if got, err := serverAddress(words); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", command, got, err, want)
		}
	}
}

// The table is what pandas writes: checked by hand against DataFrame.to_csv.
func TestTable(t *testing.T) {
	v, err := parseJSON([]byte(`[
		{"a": 1, "b": 1, "t": "x", "l": [1, "y"], "inferometer": {"x": 1}, "flag": true, "n": null},
		{"a": 2, "b": 2.5, "t": "q\"u,o", "c": 3, "r": "inf", "n": null, "nan": NaN}]`))
	if err != nil {
		t.Fatal(err)
	}
	var records []Object
	for _, e := range v.([]any) {
		records = append(records, e.(Object))
	}
	want := `,a,b,t,l,flag,n,c,r,nan
0,1,1.0,x,"[1, 'y']",True,,,,
1,2,2.5,"q""u,o",,,,3.0,inf,
`
	if got := csvTable(records); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A file is written as json.dump with indent=4 writes it, digits as they were.
func TestJSONFile(t *testing.T) {
	const text = `{
    "a": 1.0,
    "b": [],
    "c": {},
    "d": [
        1e-05,
        null,
        "\u00e9"
    ],
    "e": {
        "f": false
    }
}`
	v, err := parseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(pyJSONFile(v)); got != text {
		t.Errorf("got\n%s", got)
	}
}

func TestCheckDir(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	for _, test := range []struct {
		dir    string
		resume bool
		ok     bool
	}{{dir, true, true}, {dir, false, false}, {none, false, true}, {none, true, false}} {
		if err := CheckDir(test.dir, test.resume); (err == nil) != test.ok {
			t.Errorf("%s, resume %v: %v", test.dir, test.resume, err)
		}
	}
}

// A result that a benchmark wrote while it was being stopped is not taken for one.
func TestUnfinishedResult(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run=0.json")
	for text, finished := range map[string]bool{`{"completed": 1}`: false, `{"completed": 1, "run_number": 0}`: true} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if o, err := finishedRecord(file); err != nil || (o != nil) != finished {
			t.Errorf("%s: %v, %v", text, o, err)
		}
	}
	if err := os.WriteFile(file, []byte(`{"comp`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := finishedRecord(file); err == nil || !strings.Contains(err.Error(), "remove it to run it again") {
		t.Error(err)
	}
}
