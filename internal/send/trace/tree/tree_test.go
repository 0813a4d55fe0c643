package tree

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// drawn is a recording of requests that begin and end at whole seconds, so that many touch.
func drawn(r *rand.Rand) Recording {
	requests := func(n int, from int) (list []Request) {
		for range n {
			q := Request{At: time.Duration(from+r.IntN(20)) * time.Second, Took: time.Duration(r.IntN(6)) * time.Second, Input: 640, Output: 1 + r.IntN(100), Model: "m"}
			for id := range uint64(1 + r.IntN(4)) {
				q.IDs = append(q.IDs, id*uint64(1+r.IntN(2)))
			}
			list = append(list, q)
		}
		return list
	}
	rec := Recording{Block: 64}
	for _, q := range requests(1+r.IntN(12), 0) {
		rec.Entries = append(rec.Entries, Entry{Request: q})
	}
	for i := range r.IntN(3) {
		at := r.IntN(15)
		rec.Entries = append(rec.Entries, Entry{
			Request: Request{At: time.Duration(at) * time.Second},
			Sub:     &Sub{Name: string(rune('a' + i)), Took: time.Duration(r.IntN(8)-1) * time.Second, Requests: requests(1+r.IntN(6), at)},
		})
	}
	return rec
}

// A turn waits for what had ended on the other branches of its scope when it began, and for nothing that another of
// these turns implies. The rule is looked at here pair by pair.
func TestBarriers(t *testing.T) {
	r := testfiles.Random(t)
	edges := 0
	for range 2000 {
		tree, err := Build(drawn(r), true)
		if err != nil {
			t.Fatal(err)
		}
		scope := func(b int) string {
			if name, sub := strings.CutPrefix(tree.Branches[b].Name, "sa:"); sub {
				return name[:1]
			}
			return ""
		}
		for i := range tree.Turns {
			own := &tree.Turns[i]
			latest := map[int]int{}
			for k := range tree.Turns {
				o := &tree.Turns[k]
				if o.Branch == own.Branch || scope(o.Branch) != scope(own.Branch) || o.At >= own.At || o.At+o.Took > own.At {
					continue
				}
				was, known := latest[o.Branch]
				if !known || o.At+o.Took >= tree.Turns[was].At+tree.Turns[was].Took {
					latest[o.Branch] = k
				}
			}
			var want, got []int
			for _, a := range latest {
				implied := false
				for _, b := range latest {
					x, y := &tree.Turns[a], &tree.Turns[b]
					implied = implied || x.At < y.At && x.At+x.Took <= y.At
				}
				if !implied {
					want = append(want, a)
				}
			}
			for _, p := range own.Parents {
				if p.Edge == Barrier {
					got = append(got, p.Turn)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) {
				t.Fatalf("turn %d waits for %v, want %v of %+v", i, got, want, tree)
			}
			edges += len(got)
		}
	}
	if edges < 1000 {
		t.Errorf("only %d barriers were drawn", edges)
	}
}

// Chains have all requests, once, in the order of time.
func TestChainsHaveAllRequests(t *testing.T) {
	r := testfiles.Random(t)
	for range 1000 {
		rec := drawn(r)
		total := 0
		for _, e := range rec.Entries {
			if e.Sub != nil {
				total += len(e.Sub.Requests)
			} else {
				total++
			}
		}
		for _, split := range []bool{false, true} {
			tree, err := Build(rec, split)
			if err != nil {
				t.Fatal(err)
			}
			last := make([]time.Duration, len(tree.Branches))
			for _, q := range tree.Turns {
				if q.At < last[q.Branch] {
					t.Fatalf("a turn of branch %d is before the one before it", q.Branch)
				}
				last[q.Branch] = q.At
			}
			if len(tree.Turns) != total {
				t.Fatalf("%d turns of %d requests", len(tree.Turns), total)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	circle := &Tree{Turns: []Turn{{Parents: []Parent{{Turn: 1}}}, {Parents: []Parent{{Turn: 0}}}}}
	if err := circle.Order(); err == nil || !strings.Contains(err.Error(), "in a circle") {
		t.Error(err)
	}
	lost := &Tree{Turns: []Turn{{Parents: []Parent{{Turn: 1}}}}}
	if err := lost.Order(); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Error(err)
	}
	late := &Tree{Turns: []Turn{{Name: "c", At: 2, Parents: []Parent{{Turn: 2}}}, {Name: "a"}, {Name: "b", At: 5}, {Name: "d", At: 3}}}
	if err := late.Order(); err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, q := range late.Turns {
		names += q.Name
	}
	if names != "adbc" || late.Turns[3].Parents[0].Turn != 2 {
		t.Errorf("%s %+v", names, late.Turns)
	}
}

// Agents that wait for each other in too many ways are refused before they fill the memory.
func TestTooManyBarriers(t *testing.T) {
	rec := Recording{Block: 64}
	for i := range 4000 {
		at := time.Duration(i%2) * time.Hour
		rec.Entries = append(rec.Entries, Entry{Request: Request{At: at, Took: time.Minute, Input: 64, Output: 9999, IDs: []uint64{uint64(i)}}})
	}
	if _, err := Build(rec, true); err == nil || !strings.Contains(err.Error(), "in more than") {
		t.Error(err)
	}
}
