package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
)

// maxReplicas is how many lines are read; those that differ most between the sides come first.
const maxReplicas = 20

// replicasTitle stands above the table of them.
const replicasTitle = "Replicas of the same name; TTFT is the median in ms"

// oneReplica is a replica on one side: the means over its runs.
type oneReplica struct{ runs, requests, failed, ttft, answered float64 }

func (r *oneReplica) cells() []table.Cell {
	if r == nil {
		return table.Row(math.NaN(), math.NaN(), math.NaN())
	}
	ttft := math.NaN()
	if r.answered > 0 {
		ttft = r.ttft / r.answered
	}
	return table.Row(r.requests/r.runs, r.failed/r.runs, ttft)
}

// Replicas are the servers behind each side, side by side where two sides at least have one of the same name; nil: none have. Nothing is
// judged of them: whether a difference is real is said of the whole.
func Replicas(c *compare.Comparison) *table.Table {
	var names []string
	sides := make([]map[string]*oneReplica, len(c.Sides))
	shared := map[string]int{}
	for i := range c.Sides {
		sides[i] = map[string]*oneReplica{}
		for k := range c.Sides[i].Runs {
			all := c.Sides[i].Runs[k].Replicas
			if all == nil {
				continue
			}
			for _, one := range all.Each {
				r := sides[i][one.Name]
				if r == nil {
					r = &oneReplica{}
					sides[i][one.Name] = r
					if shared[one.Name]++; shared[one.Name] == 1 {
						names = append(names, one.Name)
					}
				}
				r.runs, r.requests, r.failed = r.runs+1, r.requests+float64(one.Requests), r.failed+float64(one.Failed)
				if one.TTFT != nil {
					r.ttft, r.answered = r.ttft+*one.TTFT, r.answered+1
				}
			}
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool { return shared[name] > 1 }) || len(names) < 2 {
		return nil
	}
	t := &table.Table{ID: "replicas", Columns: table.Words("replica")}
	for _, name := range c.Names {
		t.Columns = append(t.Columns, table.Numbers(number.Count, clip(name)+": requests", "failed")...)
		t.Columns = append(t.Columns, table.Numbers(number.Millis, "TTFT")...)
	}
	if left := len(names) - maxReplicas; left > 0 {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(apart(sides, b), apart(sides, a)) })
		names = names[:maxReplicas]
		t.Notes = []string{fmt.Sprintf("The %d that differ most between the sides; %d others are in each side's own report.", maxReplicas, left)}
	}
	for _, name := range names {
		row := []table.Cell{table.Sentence(clip(name))}
		for i := range sides {
			row = append(row, sides[i][name].cells()...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// apart is how far the requests of a replica lie apart between the first side and the others.
func apart(sides []map[string]*oneReplica, name string) (most float64) {
	requests := func(i int) float64 {
		if r := sides[i][name]; r != nil {
			return r.requests / r.runs
		}
		return 0
	}
	for i := range sides {
		most = max(most, math.Abs(requests(i)-requests(0)))
	}
	return most
}
