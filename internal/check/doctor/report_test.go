package doctor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleReport() *Report {
	finding := func(g Group, name string, l Level, figure, mend string) Finding {
		return Finding{Group: g, Name: name, Level: l, Figure: figure, Why: "It matters", Mend: mend}
	}
	return &Report{Skipped: []string{"steal"}, Findings: []Finding{
		finding(Machine, "memory", OK, "plenty", ""),
		finding(Machine, "load", Bad, "99 % of all processors are busy with something else, and have been for a long while", "stop what else runs on this machine, or pin it to processors of its own"),
		finding(Machine, "governor", Unknown, "not told", ""),
		finding(Machine, "swap", Note, "some", "swapoff"),
		finding(Machine, "frequency", Unknown, "not told", ""),
		finding(Server, "stream", Warn, "HTTP 200:\n\x1b[31mred", "mend it"),
	}}
}

func TestDoctorTable(t *testing.T) {
	const want = `This machine
  bad     load          99 % of all processors are busy with something else, and
                        have been for a long while
                        It matters.
                        → stop what else runs on this machine, or pin it to
                          processors of its own
  unknown 2 findings    governor, frequency: not told
  note    swap          some
                        It matters.
                        → swapoff
  ok      memory        plenty

The server
  warn    stream        HTTP 200: red
                        It matters.
                        → mend it

A measurement here would be spoilt by: load. (bad 1, warn 1, unknown 2, note 1,
ok 1; skipped: steal)
`
	var b strings.Builder
	if err := sampleReport().Table(&b, 80, false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

// Colour adds nothing but colour, and each line keeps to the width.
func TestDoctorColour(t *testing.T) {
	var plain, colour strings.Builder
	if err := sampleReport().Table(&plain, 60, false); err != nil {
		t.Fatal(err)
	}
	if err := sampleReport().Table(&colour, 60, true); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(colour.String(), "\x1b[31mbad     \x1b[0mload") {
		t.Errorf("bad is not red:\n%s", colour.String())
	}
	stripped := colour.String()
	for _, code := range []string{"0", "31", "32", "33", "35", "36"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if stripped != plain.String() {
		t.Error(cmp.Diff(plain.String(), stripped))
	}
	for line := range strings.Lines(plain.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 60 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestDoctorSummary(t *testing.T) {
	for _, c := range []struct {
		level Level
		want  string
	}{
		{OK, "Nothing found that would spoil"},
		{Unknown, "Nothing found that would spoil"},
		{Warn, "A measurement is possible; the warnings may affect it"},
		{Bad, "A measurement here would be spoilt by: x"},
	} {
		d := &Report{Findings: []Finding{{Name: "x", Level: c.level}}}
		if got := d.summary(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.level, got)
		}
	}
}
