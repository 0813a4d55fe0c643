package main

import (
	"bufio"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is a line of `go test -json`.
type event struct {
	Time                                                   time.Time
	Action, Package, Test, Output, FailedBuild, ImportPath string
	Elapsed                                                float64
}

// test is a test, subtest, example or fuzz target with its seeds, as it ended.
type test struct {
	Package, Name string
	Action        string // pass, fail, skip; empty: it never ended
	Seconds       float64
	Output        string
}

// pack is a package, as its tests ended.
type pack struct {
	Name         string
	Action       string
	Seconds      float64
	Output       string // what no test of it said
	FailedBuild  string
	Began, Ended time.Time
}

// stream is all that one `go test -json` said.
type stream struct {
	tests    []*test
	packages []*pack
	builds   map[string]string // what the compiler said, by package
	rest     string            // lines that are no JSON
}

// outputLimit is how much is kept of what one test says: its beginning and its end.
const outputLimit = 64 << 10

func readStream(r io.Reader) *stream {
	s := &stream{builds: map[string]string{}}
	tests, packages := map[[2]string]*test{}, map[string]*pack{}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		var e event
		if len(line) > 0 && (line[0] != '{' || json.Unmarshal(line, &e) != nil) {
			s.rest = keep(s.rest, string(line))
		}
		switch {
		case e.Action == "":
		case e.Package == "":
			if e.Action == "build-output" {
				s.builds[e.ImportPath] = keep(s.builds[e.ImportPath], e.Output)
			}
		case e.Test == "":
			p := packages[e.Package]
			if p == nil {
				p = &pack{Name: e.Package, Began: e.Time}
				packages[e.Package] = p
				s.packages = append(s.packages, p)
			}
			p.add(&e)
		default:
			t := tests[[2]string{e.Package, e.Test}]
			if t == nil {
				t = &test{Package: e.Package, Name: e.Test}
				tests[[2]string{e.Package, e.Test}] = t
				s.tests = append(s.tests, t)
			}
			t.add(&e)
		}
		if err != nil {
			return s
		}
	}
}

func (t *test) add(e *event) {
	switch e.Action {
	case "output":
		t.Output = keep(t.Output, e.Output)
	case "pass", "fail", "skip":
		t.Action, t.Seconds = e.Action, e.Elapsed
	}
}

func (p *pack) add(e *event) {
	switch e.Action {
	case "output":
		p.Output = keep(p.Output, e.Output)
	case "pass", "fail", "skip":
		p.Action, p.Seconds, p.Ended, p.FailedBuild = e.Action, e.Elapsed, e.Time, e.FailedBuild
	}
}

func keep(have, more string) string {
	have += more
	if len(have) > outputLimit {
		const cut = "\n[…]\n"
		have = have[:outputLimit/4] + cut + have[len(have)-outputLimit/2:]
	}
	return have
}

// with are the tests that ended in the given way.
func (s *stream) with(action string) []*test {
	var out []*test
	for _, t := range s.tests {
		if t.Action == action {
			out = append(out, t)
		}
	}
	return out
}

// failures are the tests that failed of themselves: one that failed only because a
// subtest of it did is not named beside that one.
func (s *stream) failures() []*test {
	failed := s.with("fail")
	return slices.DeleteFunc(slices.Clone(failed), func(t *test) bool {
		return slices.ContainsFunc(failed, func(o *test) bool { return o.under(t) })
	})
}

// leaves are the tests that have no subtests.
func (s *stream) leaves() []*test {
	parents := map[[2]string]bool{}
	for _, t := range s.tests {
		for name := t.Name; strings.Contains(name, "/"); {
			name = name[:strings.LastIndex(name, "/")]
			parents[[2]string{t.Package, name}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(s.tests), func(t *test) bool { return parents[[2]string{t.Package, t.Name}] })
}

func (t *test) under(o *test) bool {
	return t.Package == o.Package && strings.HasPrefix(t.Name, o.Name+"/")
}

// pattern is the argument of -run that runs this test and no other.
func (t *test) pattern() string {
	parts := strings.Split(t.Name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// grave is what no second run makes good, however it ends.
var grave = regexp.MustCompile(`(?m)WARNING: DATA RACE|^panic: test timed out|^panic: |^fatal error: |found unexpected goroutines|\[(build|setup) failed\]`)

// said is all that a package and its tests said.
func (s *stream) said(name string) string {
	var b strings.Builder
	for _, t := range s.tests {
		if t.Package == name {
			b.WriteString(t.Output)
		}
	}
	for _, p := range s.packages {
		if p.Name == name {
			b.WriteString(p.Output)
			b.WriteString(s.builds[p.FailedBuild])
		}
	}
	return b.String()
}

// why is the word of what is grave in a package; empty: nothing is.
func (s *stream) why(name string) string {
	return strings.TrimSuffix(strings.TrimSpace(grave.FindString(s.said(name))), ":")
}

const module = "github.com/inferometer/inferometer"

// short is a package's path in the repository.
func short(name string) string {
	if name == module {
		return "."
	}
	return strings.TrimPrefix(name, module+"/")
}
