package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// runner runs the parts of a rung.
type runner struct {
	rung    rung
	execute execute
	gets    *getter
	budgets *budgets
	out     io.Writer
	pulse   func(from, to time.Time) float64
	alone   func() (resume func()) // the machine for a part that measures
	list    func(context.Context) ([]string, error)

	began time.Time
	// A part that is not of the core begins, after the first of these, only if all that it needs is there; after the
	// second not at all; and after the third it is cut off.
	late, latest, over time.Duration

	results []*result
}

// run runs the parts in their order. One that waits for what it needs lets later ones go first, unless it is of the core.
func (r *runner) run(ctx context.Context, parts []part) error {
	packages, err := r.list(ctx)
	if err != nil {
		return err
	}
	pending := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !p.in(r.rung) })
	for len(pending) > 0 && ctx.Err() == nil {
		i := slices.IndexFunc(pending, func(p part) bool { return p.core || r.ready(&p) })
		if i < 0 && r.elapsed() < r.late {
			r.wait(ctx, &pending[0])
			continue
		}
		i = max(i, 0)
		p := pending[i]
		pending = slices.Delete(pending, i, i+1)
		r.keep(r.part(ctx, &p, packages))
	}
	return context.Cause(ctx)
}

func (r *runner) elapsed() time.Duration { return time.Since(r.began) }

func (r *runner) ready(p *part) bool {
	return !slices.ContainsFunc(p.needs, func(name string) bool { return !r.gets.find(name).ended() })
}

// wait returns when the next of what a part needs is there, or it is late.
func (r *runner) wait(ctx context.Context, p *part) {
	ctx, cancel := context.WithTimeout(ctx, r.late-r.elapsed())
	defer cancel()
	i := slices.IndexFunc(p.needs, func(name string) bool { return !r.gets.find(name).ended() })
	select {
	case <-r.gets.find(p.needs[i]).done:
	case <-ctx.Done():
	}
}

// part runs one.
func (r *runner) part(ctx context.Context, p *part, packages []string) *result {
	began := time.Now()
	var env []string
	for _, e := range p.env {
		env = append(env, os.ExpandEnv(e))
	}
	if !p.core {
		switch {
		case r.elapsed() > r.latest:
			return skipped(p, fmt.Sprintf("%.0f minutes are over: nothing begins but the core", r.latest.Minutes()))
		case !r.ready(p):
			return skipped(p, fmt.Sprintf("%.0f minutes are over, and %s is not there yet", r.late.Minutes(), strings.Join(p.needs, ", ")))
		}
	}
	for _, name := range p.needs {
		need := r.gets.find(name)
		<-need.done
		switch {
		case need.fault != "" && need.must:
			return &result{Part: p.name, Failed: []finding{{Part: p.name, Why: need.fault}}}
		case need.fault != "":
			return skipped(p, need.fault)
		case need.env != "":
			env = append(env, need.env+"="+need.value)
		}
	}
	if p.alone {
		defer r.alone()()
	}
	if !p.core {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.began.Add(r.over))
		defer cancel()
	}
	tests := goTest{flags: p.flags, packages: p.chosen(packages), args: p.args, env: env}
	var out *result
	switch {
	case p.run != nil:
		out = r.step(ctx, p.name, command{p.run, env})
	case p.again != nil:
		out = r.again(ctx, p, tests)
	default:
		out = r.judge(ctx, p.name, tests)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return skipped(p, fmt.Sprintf("it was cut off: %.0f minutes are over", r.over.Minutes()))
	}
	if !p.tell {
		out.said = ""
	}
	out.Seconds = since(began)
	return out
}

// again runs the tests that skipped themselves in earlier parts for the reason that this part is for: they are
// skipped ones no more.
func (r *runner) again(ctx context.Context, p *part, g goTest) *result {
	var names []string
	for _, one := range r.results {
		one.Skipped = slices.DeleteFunc(one.Skipped, func(f finding) bool {
			if f.Test == "" || !p.again.MatchString(f.Why) {
				return false
			}
			top, _, _ := strings.Cut(f.Test, "/")
			names, g.packages = append(names, top), append(g.packages, "./"+f.Package)
			return true
		})
	}
	if len(names) == 0 {
		return &result{Part: p.name}
	}
	slices.Sort(names)
	slices.Sort(g.packages)
	g.packages = slices.Compact(g.packages)
	g.flags = append(slices.Clone(g.flags), "-run", "^("+strings.Join(slices.Compact(names), "|")+")$")
	return r.judge(ctx, p.name, g)
}

func skipped(p *part, why string) *result {
	return &result{Part: p.name, Skipped: []finding{{Part: p.name, Why: why}}}
}

// keep prints what a part came to, at once.
func (r *runner) keep(one *result) {
	r.results = append(r.results, one)
	word := "ok   "
	switch {
	case len(one.Failed) > 0:
		word = "FAIL "
	case len(one.Flaky) > 0:
		word = "flaky"
	case one.Passed == 0 && len(one.Skipped) > 0:
		fmt.Fprintf(r.out, "skip  %s: %s\n", one.Part, one.Skipped[0].Why)
		return
	}
	fmt.Fprintf(r.out, "%s %s: %s (%.0f s)\n%s", word, one.Part, one.count(), one.Seconds, indent(one.said))
	for _, f := range one.Failed {
		fmt.Fprintf(r.out, "      failed: %s: %s\n%s", cmp.Or(f.String(), f.Part), f.Why, indent(f.Output))
	}
	for _, f := range one.Flaky {
		fmt.Fprintf(r.out, "      flaky: %s: it said, when it failed:\n%s", f.String(), indent(f.Output))
	}
}

func (o *result) count() string {
	words := []string{fmt.Sprintf("%d passed", o.Passed)}
	for _, w := range []struct {
		n    int
		word string
	}{{len(o.Failed), "failed"}, {len(o.Flaky), "flaky"}, {len(o.Skipped), "skipped"}} {
		if w.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", w.n, w.word))
		}
	}
	return strings.Join(words, ", ")
}

// indent is the end of a text, set in.
func indent(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "        " + strings.ReplaceAll(strings.TrimRight(tail(text, 120), "\n"), "\n", "\n        ") + "\n"
}

// listPackages are all packages of the module.
func listPackages(ctx context.Context) ([]string, error) {
	var out, words strings.Builder
	if err := realExecute(ctx, command{args: []string{"go", "list", "./..."}}, &out, &words); err != nil {
		fmt.Fprint(os.Stderr, words.String())
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(out.String()), nil
}
