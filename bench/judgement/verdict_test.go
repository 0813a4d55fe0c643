package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestOff(t *testing.T) {
	for _, tt := range []struct {
		name      string
		shown     float64
		low, high float64
		truths    []truth
		off       bool
	}{
		{"exact", 10, 10, 10, []truth{{value: 10}}, false},
		{"within 2 %", 10, 10, 10, []truth{{value: 10.19}}, false},
		{"off without an interval", 10, 10, 10, []truth{{value: 10.5}}, true},
		{"off, and the interval holds it", 10, 9, 11, []truth{{value: 10.5}}, false},
		{"off, and the interval does not hold it", 10, 9, 10.4, []truth{{value: 10.5}}, true},
		{"below the interval", 10, 9.9, 12, []truth{{value: 9.5}}, true},
		{"the second truth is missed", 10, 10, 10, []truth{{value: 10}, {value: 9}}, true},
		{"a truth that may be off itself", 10, 10, 10, []truth{{value: 9, slack: 0.9}}, false},
		{"and by less", 10, 10, 10, []truth{{value: 9, slack: 0.5}}, true},
		{"nothing is known", 10, 10, 10, nil, false},
	} {
		if _, off := (number{shown: tt.shown, low: tt.low, high: tt.high, truths: tt.truths}).off(); off != tt.off {
			t.Errorf("%s: off is %v", tt.name, off)
		}
	}
}

func TestGrade(t *testing.T) {
	good := number{shown: 10, low: 10, high: 10, truths: []truth{{value: 10}}}
	bad := number{shown: 10, low: 10, high: 10, truths: []truth{{value: 12}}}
	wide := number{shown: 10, low: 9, high: 11, truths: []truth{{value: 10}}}
	spoils := situation{reasons: []string{"outcomes"}}
	for _, tt := range []struct {
		name        string
		judged      judged
		answer      answer
		alarm, miss bool
	}{
		{"valid and right", judged{level: "VALID", numbers: []number{good}}, right, false, false},
		{"valid and wide, which it says", judged{level: "VALID", numbers: []number{wide}}, right, false, false},
		{"valid and off", judged{level: "VALID", numbers: []number{good, bad}}, wrong, false, true},
		{"suspect and off", judged{level: "SUSPECT", numbers: []number{good, bad}}, right, false, false},
		{"invalid and off", judged{level: "INVALID", numbers: []number{bad}}, right, false, false},
		{"suspect for nothing", judged{level: "SUSPECT", numbers: []number{good}}, wrong, true, false},
		{"suspect, and it can't know", judged{level: "INVALID", numbers: []number{good, wide}}, undecided, true, false},
		{"spoiled and named", judged{situation: spoils, level: "INVALID", reasons: []string{"steal", "outcomes"}}, right, false, false},
		{"spoiled and called valid", judged{situation: spoils, level: "VALID"}, wrong, false, false},
		{"spoiled, and another thing named", judged{situation: spoils, level: "SUSPECT", reasons: []string{"steal"}}, wrong, false, false},
	} {
		j := tt.judged
		if j.answer() != tt.answer || j.falseAlarm() != tt.alarm || j.miss() != tt.miss {
			t.Errorf("%s: answer %v, false alarm %v, miss %v", tt.name, j.answer(), j.falseAlarm(), j.miss())
		}
	}
}

// TestVerdictTallies: a quiet situation is one only where the machine was quiet too, and what spoils a run is no
// matter of false alarms.
func TestVerdictTallies(t *testing.T) {
	good := []number{{shown: 1, low: 1, high: 1, truths: []truth{{value: 1}}}}
	of := func(name string) situation {
		return situations[slices.IndexFunc(situations, func(s situation) bool { return s.name == name })]
	}
	o := &options{}
	got := verdictTallies(o, []judged{
		{situation: of("closed loop"), level: "VALID", numbers: good},
		{situation: of("closed loop"), level: "SUSPECT", numbers: good},
		{situation: of("closed loop"), level: "SUSPECT", numbers: good, stolen: 0.05},
		{situation: of("closed loop"), level: "VALID", numbers: good, others: 0.5},
		{situation: of("stops of both"), level: "VALID", numbers: good, stolen: 0.05},
		{situation: of("cut streams"), level: "VALID"},
	})
	want := []tally{
		{situation: "closed loop", right: 1, wrong: 1, quiet: true},
		{situation: "stops of both", right: 1},
		{situation: "cut streams", wrong: 1},
		{situation: stealCame, wrong: 1},
		{situation: othersCame, right: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if len(o.notes) != 2 || !strings.Contains(o.notes[1], "0 of 3 (0.0 %)") || !strings.Contains(o.notes[0], "2 of 5 (40.0 %)") || !strings.Contains(o.notes[0], "0 of 5 (0.0 %)") {
		t.Errorf("notes: %q", o.notes)
	}
}

func TestVerdictPlan(t *testing.T) {
	if n := len(verdictPlan(&options{full: true, seed: 1})); n != 200 {
		t.Errorf("%d trials in full", n)
	}
	quick := verdictPlan(&options{seed: 1})
	names := map[string]bool{}
	for _, s := range quick {
		names[s.name] = true
	}
	if len(quick) != 12 || len(names) != 12 {
		t.Errorf("%d trials of %d situations", len(quick), len(names))
	}
	if one := verdictPlan(&options{seed: 1, within: "TLS", trials: 3}); len(one) != 3 || one[2].name != "TLS" {
		t.Errorf("one situation: %d trials", len(one))
	}
	if none := verdictPlan(&options{within: "no such"}); len(none) != 0 {
		t.Errorf("%d trials of nothing", len(none))
	}
}

// TestDraws: whatever is drawn can be run, lasts as long as it should, and the same seed draws the same.
func TestDraws(t *testing.T) {
	for seed := range uint64(2000) {
		d := newDice(seed)
		for _, l := range []load{d.drawLoad(), d.either(), d.constant()} {
			if l.tokens < 2 || l.concurrency < 1 || l.requests < 1 || l.ttft < 60 || l.itl < 5 {
				t.Fatalf("seed %d: %+v", seed, l)
			}
			lasts := l.one() * float64(l.requests) / float64(l.concurrency)
			if l.rate > 0 {
				lasts = float64(l.requests)/l.rate*1000 + l.one()
			}
			if lasts > 2*runFor {
				t.Errorf("seed %d: it lasts %.0f ms: %+v", seed, lasts, l)
			}
		}
		last := 0.0
		for _, p := range d.pauses() {
			if p.at.Seconds() < last || p.length <= 0 {
				t.Fatalf("seed %d: pauses overlap: %v", seed, p)
			}
			last = (p.at + p.length).Seconds()
		}
	}
	if newDice(7).drawLoad() != newDice(7).drawLoad() {
		t.Error("one seed drew two loads")
	}
}

func TestNumbers(t *testing.T) {
	const text = `{
		"request_throughput": 5, "output_throughput": 50, "total_token_throughput": 80,
		"inferometer": {
			"verdict": {"level": "VALID", "unsupported": ["p99_ttft"]},
			"latency": {"sent": {"ttft": {"mean_ms": 20, "p50_ms": 19, "p99_ms": 30, "count": 120}, "e2el": {"mean_ms": 200, "p50_ms": 190, "p99_ms": 300, "count": 99}}},
			"inter_chunk": {"mean_ms": 10, "p50_ms": 10, "p99_ms": 12, "count": 900},
			"tpot": null,
			"bounds": {"known": true, "stamp_error_ms": 0.5, "metrics": {"ttft": {"bounds": {"mean_ms": [18, 20]}}}, "rates": {"output_throughput": [49, 52]}}
		}}`
	var r result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	var names []string
	ends := map[string][2]float64{}
	for _, n := range r.numbers() {
		names = append(names, n.name)
		ends[n.name] = [2]float64{n.low, n.high}
	}
	if got, want := strings.Join(names, " "), "mean_ttft p50_ttft mean_itl p50_itl p99_itl mean_e2el p50_e2el request_throughput output_throughput total_token_throughput"; got != want {
		t.Errorf("shown are %s", got)
	}
	for name, want := range map[string][2]float64{"mean_ttft": {17.5, 20.5}, "p50_ttft": {19, 19}, "output_throughput": {49, 52}, "request_throughput": {5, 5}} {
		if ends[name] != want {
			t.Errorf("%s within %v, want %v", name, ends[name], want)
		}
	}
}

func TestUsage(t *testing.T) {
	before := parseUsage("cpu  100 0 50 1000 10 0 5 20 7 0")
	if before.total != 1185 || before.idle != 1010 || before.stolen != 20 {
		t.Errorf("%+v", before)
	}
	after := usage{total: 1385, idle: 1110, stolen: 30, ours: 4e8}
	stolen, others := after.since(before)
	if math.Abs(stolen-0.05) > 1e-9 || math.Abs(others-0.25) > 1e-9 {
		t.Errorf("stolen %v, others %v", stolen, others)
	}
	if s, o := (usage{}).since(usage{}); s != 0 || o != 0 {
		t.Errorf("of no time %v and %v", s, o)
	}
}

// TestPage: the page has the marks of each judge, a table that is put there twice is there once, and
// docs/limits.md has each judge's sum.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/judgement.md")
	if err != nil {
		t.Fatal(err)
	}
	short, err := os.ReadFile("../../docs/limits.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range judges {
		sum := regexp.MustCompile(`(?m)^\| ` + j.name + ` \| all \|(.*)$`).FindSubmatch(page)
		if sum == nil || !bytes.Contains(short, append([]byte("| `"+j.name+"` |"), sum[1]...)) {
			t.Errorf("docs/limits.md has not the sum of %s: %s", j.name, sum)
		}
		once, err := replaced(string(page), j.name, "| a table |\n")
		if err != nil {
			t.Fatal(err)
		}
		twice, err := replaced(once, j.name, "| a table |\n")
		if err != nil || twice != once || strings.Count(once, "| a table |") != 1 {
			t.Errorf("%s: put there twice it is another page: %v", j.name, err)
		}
	}
	if _, err := replaced("a page", "verdict", "x"); err == nil {
		t.Error("a page without marks was written")
	}
}
