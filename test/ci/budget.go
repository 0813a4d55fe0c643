package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// modes are the ways in which the tests of a package are run: the columns of the budgets.
var modes = []string{"short", "plain", "race"}

// budgets say how long the tests of a package may take, in seconds of wall time on a machine with this pulse. Only the
// packages that need more than the usual stand in the file.
type budgets struct {
	pulse float64
	of    map[string]map[string]float64 // package, mode
}

// usual is the line that holds for packages without one of their own.
const usual = "default"

// spent is what the tests of a package took.
type spent struct {
	Package string  `json:"package"`
	Mode    string  `json:"mode"`
	Seconds float64 `json:"seconds"`
	Pulse   float64 `json:"pulse"`
}

func readBudgets(path string) (*budgets, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &budgets{of: map[string]map[string]float64{}}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		numbers := make([]float64, len(fields)-1)
		for i, f := range fields[1:] {
			if f == "-" {
				continue
			}
			if numbers[i], err = strconv.ParseFloat(f, 64); err != nil {
				return nil, fmt.Errorf("%s: %q: %w", path, line, err)
			}
		}
		switch {
		case fields[0] == "pulse" && len(numbers) == 1:
			b.pulse = numbers[0]
		case len(numbers) == len(modes):
			b.of[fields[0]] = map[string]float64{}
			for i, m := range modes {
				b.of[fields[0]][m] = numbers[i]
			}
		default:
			return nil, fmt.Errorf("%s: %q is neither a pulse nor a package with %s", path, line, strings.Join(modes, ", "))
		}
	}
	if b.pulse <= 0 || b.of[usual] == nil {
		return nil, fmt.Errorf("%s has no pulse, or no line %s", path, usual)
	}
	return b, nil
}

// allowed is how long a package may take at a pulse: on a slower or busier machine longer, on a quicker one no less.
func (b *budgets) allowed(s *spent) float64 {
	seconds := cmp.Or(b.of[s.Package][s.Mode], b.of[usual][s.Mode])
	return seconds * max(1, s.Pulse/b.pulse)
}

// spend notes what each package took. One that took more than its budget is run once more, by itself; one that does
// again has failed.
func (r *runner) spend(ctx context.Context, out *result, g goTest, s *stream) {
	over := func(p *pack) (*spent, bool) {
		one := &spent{Package: short(p.Name), Mode: g.mode(), Seconds: p.Seconds, Pulse: r.pulse(p.Began, p.Ended)}
		return one, r.budgets != nil && one.Seconds > r.budgets.allowed(one)
	}
	for _, p := range s.packages {
		if p.Action != "pass" {
			continue
		}
		first, much := over(p)
		out.Packages = append(out.Packages, *first)
		if !much {
			continue
		}
		again, _ := r.call(ctx, g.only(p.Name, ""))
		if len(again.packages) == 1 {
			second, much := over(again.packages[0])
			if !much {
				fmt.Fprintf(r.out, "      %s took %.0f s, %.0f s in a second run: its budget is %.0f s\n", first.Package, first.Seconds, second.Seconds, r.budgets.allowed(first))
				continue
			}
		}
		out.Failed = append(out.Failed, finding{Part: out.Part, Package: first.Package, Why: fmt.Sprintf(
			"twice over its budget: %.0f s, and %.0f s are allowed on a machine as quick and as busy as this one; see .ci/budgets", first.Seconds, r.budgets.allowed(first))})
	}
}

// How budgets are made of what runs took.
const (
	margin     = 4.0 // times the longest run
	usualQuick = 15.0
	usualRace  = 40.0
)

const budgetsHead = `# How long the tests of a package may take, in seconds of wall time, by the way they are run: -short, plain, -race.
# More than that, twice in a row, fails the run. The pulse is how long a fixed piece of work took on the machine that
# wrote this: where it takes longer, because the machine is slower or busy, budgets are longer by as much.
# A budget is four times what the package took. A package without a line has the default.
# Written by: make budgets (from the records of runs); a line may be changed by hand.
`

// makeBudgets writes budgets that fit the records.
func makeBudgets(records []*record) string {
	longest, sum, n := map[string]map[string]float64{}, 0.0, 0.0
	for _, r := range records {
		for _, p := range r.Parts {
			for _, s := range p.Packages {
				sum, n = sum+s.Pulse, n+1
			}
		}
	}
	mean := sum / max(1, n)
	for _, r := range records {
		for _, p := range r.Parts {
			for _, s := range p.Packages {
				if longest[s.Package] == nil {
					longest[s.Package] = map[string]float64{}
				}
				at := s.Seconds * mean / max(s.Pulse, mean/10)
				longest[s.Package][s.Mode] = max(longest[s.Package][s.Mode], at)
			}
		}
	}
	ordinary := map[string]float64{"short": usualQuick, "plain": usualQuick, "race": usualRace}
	var b strings.Builder
	b.WriteString(budgetsHead)
	fmt.Fprintf(&b, "pulse %.3f\n\n%-36s %6s %6s %6s\n", mean, "# package", "short", "plain", "race")
	line := func(name string, of map[string]float64) {
		fmt.Fprintf(&b, "%-36s", name)
		for _, m := range modes {
			if of[m] > 0 {
				fmt.Fprintf(&b, " %6.0f", of[m])
			} else {
				fmt.Fprintf(&b, " %6s", "-")
			}
		}
		b.WriteByte('\n')
	}
	line(usual, ordinary)
	for _, name := range slices.Sorted(maps.Keys(longest)) {
		of := map[string]float64{}
		for m, seconds := range longest[name] {
			if wants := math.Ceil(seconds*margin/5) * 5; wants > ordinary[m] {
				of[m] = wants
			}
		}
		if len(of) > 0 {
			line(name, of)
		}
	}
	return b.String()
}
