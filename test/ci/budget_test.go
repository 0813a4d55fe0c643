package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func budgetsOf(t *testing.T, text string) *budgets {
	t.Helper()
	path := filepath.Join(t.TempDir(), "budgets")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b, err := readBudgets(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The stream has packages that take some hundredths of a second.
func TestBudget(t *testing.T) {
	for name, k := range map[string]struct {
		budgets string
		pulse   float64
		calls   int
		failed  []string
	}{
		"within":                              {budgets: "pulse 0.05\ndefault 10 10 40", pulse: 0.05, calls: 1},
		"over it":                             {budgets: "pulse 0.05\ndefault 10 10 40\ngood - 0.001 -", pulse: 0.05, calls: 2, failed: []string{"good: twice over its budget"}},
		"a package without a line":            {budgets: "pulse 0.05\ndefault 10 0.001 40", pulse: 0.05, calls: 2, failed: []string{"good: twice over its budget"}},
		"a budget for another way of running": {budgets: "pulse 0.05\ndefault 10 10 40\ngood 0.001 - 0.001", pulse: 0.05, calls: 1},
		"a machine a thousand times slower":   {budgets: "pulse 0.05\ndefault 10 10 40\ngood - 0.001 -", pulse: 50, calls: 1},
		"a quicker machine has as much":       {budgets: "pulse 50\ndefault 10 1 40", pulse: 0.05, calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{t: t, first: "pass", packed: "pass_good"}
			r := s.runner()
			r.budgets, r.pulse = budgetsOf(t, k.budgets), func(time.Time, time.Time) float64 { return k.pulse }
			got := r.judge(t.Context(), "a part", goTest{packages: []string{"./..."}})
			hold(t, "failed", got.Failed, k.failed)
			if len(s.calls) != k.calls {
				t.Errorf("%d calls: %q", len(s.calls), s.calls)
			}
			if len(got.Packages) != 1 || got.Packages[0].Package != "good" || got.Packages[0].Mode != "plain" {
				t.Errorf("%+v", got.Packages)
			}
		})
	}
}

// A package that was slow once is not failed.
func TestBudgetOnceOver(t *testing.T) {
	s := &script{t: t, first: "pass", packed: "pass_good"}
	r := s.runner()
	r.budgets = budgetsOf(t, "pulse 0.05\ndefault 10 0.001 40")
	pulses := []float64{0.05, 50}
	r.pulse = func(time.Time, time.Time) float64 { p := pulses[0]; pulses = pulses[1:]; return p }
	if got := r.judge(t.Context(), "a part", goTest{packages: []string{"./..."}}); len(got.Failed) != 0 || len(s.calls) != 2 {
		t.Errorf("%d calls, %+v", len(s.calls), got.Failed)
	}
}

func TestMakeBudgets(t *testing.T) {
	text := makeBudgets([]*record{{Parts: []*result{
		{Packages: []spent{{"internal/cli", "race", 30, 0.1}, {"internal/cli", "short", 2, 0.1}, {"internal/sim", "race", 1, 0.1}}},
	}}, {Parts: []*result{{Packages: []spent{{"internal/cli", "race", 33, 0.1}}}}}})
	b := budgetsOf(t, text)
	if got := b.of["internal/cli"]["race"]; got != 135 {
		t.Errorf("33 s became %v", got)
	}
	if len(b.of) != 2 || b.pulse != 0.1 || !strings.Contains(text, "internal/cli                              -      -    135\n") {
		t.Errorf("only what needs more than the default has a line:\n%s", text)
	}
	if got := b.allowed(&spent{"internal/cli", "short", 2, 0.1}); got != usualQuick {
		t.Errorf("no number of its own: %v", got)
	}
}

func TestBudgetsOfTheRepository(t *testing.T) {
	b, err := readBudgets(filepath.Join("..", "..", ".ci", "budgets"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range b.of {
		if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil && name != usual {
			t.Errorf("a budget for what is not there: %v", err)
		}
	}
}

// The work of a pulse is done: a loop that the compiler leaves out would take nothing.
func TestRealPulse(t *testing.T) {
	p := startPulses()
	p.take()
	p.end()
	if got := p.between(time.Now().Add(-time.Minute), time.Now()); got < 0.001 {
		t.Errorf("%v s", got)
	}
	now := time.Now()
	p.all = []pulse{{now.Add(-time.Hour), 3}, {now, 1}, {now, 2}}
	if got := p.between(now, now); got != 1.5 {
		t.Errorf("the mean of those about now: %v", got)
	}
	if got := p.between(now.Add(-time.Minute), now.Add(-time.Minute)); got != 2 {
		t.Errorf("while something was measured the last one holds: %v", got)
	}
}
