package page

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
	"github.com/inferometer/inferometer/internal/show/chart"
)

// TestJobLanes has a lane for each branch, names from outside made harmless, and says what it leaves out.
func TestJobLanes(t *testing.T) {
	turn := chartdata.JobTurn{Turn: 1, From: 0, Due: 1, Sent: 1, First: 1.5, End: 2, OK: true, Critical: true}
	bad := "\x1b[31m<script>" + strings.Repeat("x", 10_000)
	job := chartdata.Job{Number: 1, Trace: bad, Left: 3, Branches: []chartdata.JobBranch{{Turns: []chartdata.JobTurn{turn}}, {Kind: bad, Turns: []chartdata.JobTurn{turn}}}}
	list := []chartdata.Job{job}
	for len(list) < 40 {
		list = append(list, job)
	}
	c := jobLanes(&chartdata.Run{Jobs: list, JobsTotal: 100})
	if len(c.Y.Ticks) != maxJobLanes || c.Note != "The first 30 of 100 jobs are shown. 90 later turns of them are left out." {
		t.Errorf("%d lanes; %s", len(c.Y.Ticks), c.Note)
	}
	for _, tick := range c.Y.Ticks {
		if strings.ContainsRune(tick.Label, '\x1b') || len(tick.Label) > 100 {
			t.Fatalf("%q", tick.Label)
		}
	}
	kinds := 0
	for _, s := range c.Series {
		if s.Kind == chart.Spans && len(s.Low) == maxJobLanes {
			kinds++
		}
	}
	if kinds != 4 { // all but failures
		t.Errorf("%d of 4 parts are drawn", kinds)
	}
	d := &drawer{}
	if f := d.full("jobs", c, c.Height); d.err != nil || strings.Contains(f.wide, "<script>") || strings.Contains(f.narrow, "<script>") {
		t.Errorf("%v", d.err)
	}
}
