package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func results() []*result {
	skip := func(test, why string) finding {
		return finding{Part: "units", Package: "test/kube", Test: test, Why: why}
	}
	return []*result{
		{Part: "units", Passed: 40, Slow: []timed{{"internal/cli", "TestScripts/find", 12.3}, {"internal/sim", "TestB", 1}}, Skipped: []finding{
			skip("TestA", "INFEROMETER_KUBE is not set"), skip("TestB", "INFEROMETER_KUBE is not set"),
			skip("TestC", "INFEROMETER_KUBE is not set"), skip("TestD", "INFEROMETER_KUBE is not set"), skip("TestE", "no root"),
			skip("TestParity/yi", "not in every run: set INFEROMETER_ALL_TOKENIZERS=1"),
		}},
		{Part: "the site", Skipped: []finding{{Part: "the site", Why: "there is no cargo"}}},
	}
}

func TestSummary(t *testing.T) {
	flaky := func(n int) *result {
		out := &result{Part: "more", Passed: 1}
		for range n {
			out.Flaky = append(out.Flaky, finding{Part: "more", Package: "internal/sim", Test: "TestSlowReader", Why: "failed, then passed", Output: "late"})
		}
		return out
	}
	for name, k := range map[string]struct {
		add        *result
		requireAll bool
		holds      bool
		last       string
		has        []string
	}{
		"skips are named and counted": {
			add: flaky(0), holds: true, last: "41 passed, 0 failed, 6 skipped",
			has: []string{
				"test/kube: 4 tests (TestA, …): INFEROMETER_KUBE is not set\n", "test/kube: TestE: no root\n", "the site: there is no cargo\n",
				"left out: test/kube: TestParity/yi: runs in `all`\n", "12.3 s  internal/cli TestScripts/find\n",
			},
		},
		"two flaky tests":   {add: flaky(2), holds: true, last: "41 passed, 0 failed, 6 skipped", has: []string{"\n2 flaky", "internal/sim TestSlowReader\n"}},
		"three flaky tests": {add: flaky(3), last: "41 passed, 0 failed, 6 skipped", has: []string{"\n3 flaky"}},
		"all is required":   {add: flaky(0), requireAll: true, last: "41 passed, 6 failed, 6 skipped", has: []string{"test/kube TestE: skipped: no root\n"}},
		"a failure": {
			add:  &result{Part: "lint", Failed: []finding{{Part: "lint", Why: "exit status 1"}}},
			last: "40 passed, 1 failed, 6 skipped", has: []string{"lint: exit status 1\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecord(landing, k.requireAll, append(results(), k.add))
			var b strings.Builder
			if holds := summarise(&b, r); holds != k.holds {
				t.Errorf("it holds: %v", holds)
			}
			lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
			if got := lines[len(lines)-1]; got != k.last {
				t.Errorf("the last line: %s, want %s", got, k.last)
			}
			for _, h := range k.has {
				if !strings.Contains(b.String(), h) {
					t.Errorf("no %q in\n%s", h, b.String())
				}
			}
		})
	}
}

// In the rung that runs them, tests that leave themselves out elsewhere are skipped ones.
func TestNothingLeavesItselfOutOfAll(t *testing.T) {
	if r := newRecord(all, false, results()); len(r.Skipped) != 7 || len(r.Left) != 0 {
		t.Errorf("%+v\n%+v", r.Skipped, r.Left)
	}
}

func TestRecordAndTable(t *testing.T) {
	r := newRecord(quick, false, append(results(), &result{Part: "more", Flaky: []finding{{Part: "more", Package: "a", Test: "TestB"}}}))
	r.leave(parts, quick)
	r.Seconds, r.Beside = 83, "hog"
	path := filepath.Join(t.TempDir(), "record.json")
	if err := r.write(path); err != nil {
		t.Fatal(err)
	}
	read, err := readRecords([]string{path, path})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	table(&b, read)
	if want := "| 2 | quick | hog | 1:23 minutes | 40 | 0 | 1 | 6 | flaky: a TestB |\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s\nwant the end %s", b.String(), want)
	}
	if len(read[0].Left) < 20 {
		t.Errorf("quick leaves %d parts out", len(read[0].Left))
	}
}
