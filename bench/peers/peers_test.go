package main

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	simtruth "github.com/inferometer/inferometer/internal/sim/truth"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write the tables into the page")

// The page's tables lie between these lines.
const (
	begins = "<!-- tables: made from testdata/peers by go test ./bench/peers -update -->\n"
	ends   = "<!-- end of tables -->\n"
)

// TestPage: the tables of the page and of its reference are those that its raw files give.
func TestPage(t *testing.T) {
	root := testfiles.Root(t)
	runs, err := readAll(filepath.Join(root, "testdata", "peers"))
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(root, "docs", "five-clients.md")
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begins)
	was, after, closed := strings.Cut(rest, ends)
	if !ok || !closed {
		t.Fatalf("%s has no place for the tables", page)
	}
	testfiles.Written(t, *update, "docs/reference/five-clients.md", "# Five clients: every table\n\nWhat the columns mean: [five clients, one truth](../five-clients.md). "+
		"Made of `testdata/peers` by `go test ./bench/peers -run TestPage -update`.\n\n"+tables(runs))
	want := excerpt(runs) + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(before+begins+want+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if was != want {
		t.Errorf("the page's tables are not those of testdata/peers: go test ./bench/peers -update; they are\n%s", want)
	}
}

// TestKeptIsSmall: the raw files stay below a megabyte.
func TestKeptIsSmall(t *testing.T) {
	var size int64
	for _, path := range testfiles.Glob(t, "peers/*"+ending) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 1<<20 {
		t.Errorf("testdata/peers has %d bytes", size)
	}
}

func TestCondense(t *testing.T) {
	at := func(ms ...int64) (ns []int64) {
		for _, v := range ms {
			ns = append(ns, 1_000_000_000+v*1_000_000)
		}
		return ns
	}
	tr := condense([]simtruth.Request{
		{Arrived: at(0)[0], Ended: at(90)[0], Tokens: 3, Events: at(50, 60, 90, 90), Kinds: []string{"token", "token", "token", "usage"}},
		{Received: at(10)[0], Ended: at(40)[0], Fault: "reset", Tokens: 0},
		{Arrived: at(20)[0], Ended: at(120)[0], Tokens: 2, Events: at(20, 100, 120), Kinds: []string{"role", "token", "token"}},
	}, 1)
	for _, want := range []struct {
		metric string
		p, ms  float64
	}{{"ttft", 50, 65}, {"ttft", 100, 80}, {"itl", 50, 20}, {"itl", 100, 30}, {"tpot", 0, 20}, {"tpot", 100, 20}} {
		if got, ok := tr.ms(want.metric, want.p); !ok || math.Abs(got-want.ms) > 1e-9 {
			t.Errorf("%s p%g is %g, want %g", want.metric, want.p, got, want.ms)
		}
	}
	if len(tr.Faults) != 1 || tr.Faults[0] != 1 || tr.Events != 4+3+3 || tr.Extra != 1 {
		t.Errorf("faults %v, %d events, %d extra", tr.Faults, tr.Events, tr.Extra)
	}
	if got := tr.seconds(); got != 0.12 {
		t.Errorf("it took %g s, want 0.12", got)
	}
	// On two streams: 90 | 30 + 100.
	if got := tr.best(2); got != 0.13 {
		t.Errorf("at best %g s, want 0.13", got)
	}
}

func TestTold(t *testing.T) {
	for _, c := range []struct {
		console string
		failed  int
		want    bool
	}{
		{"Successful requests: 160\nFailed requests:    40\n", 40, true},
		{"Failed requests: 0\n", 0, false},
		{"Successful requests: 40\n", 40, false},
		{"| Comp | Inc | Err |\n|------|-----|-----|\n| 160.0 | 0.0 | 40.0 |\n", 40, true},
		{"Errors: 140, duration 40.5 s\n", 40, false},
	} {
		if got := told(c.console, c.failed); got != c.want {
			t.Errorf("%q, %d: %v", c.console, c.failed, got)
		}
	}
}

func TestPick(t *testing.T) {
	if got, err := pick("light,broken"); err != nil || len(got) != 2 || got[1].Name != broken {
		t.Errorf("%v %v", got, err)
	}
	if _, err := pick("ligth"); err == nil {
		t.Error("a typo is taken for a load")
	}
}
