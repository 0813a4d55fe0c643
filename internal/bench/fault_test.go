package bench_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// Faults are done at their times, after their numbers of requests, undone at the end of theirs, and written down; what
// would keep servers from being asked is undone when the load is over.
func TestFaultsAreDoneAndWritten(t *testing.T) {
	play(t, func(s *stage) {
		var mu sync.Mutex
		var done []string
		s.do = func(ctx context.Context, f fault.Fault) (fault.Done, error) {
			began := time.Now()
			mu.Lock()
			done = append(done, f.String())
			mu.Unlock()
			switch f.Do {
			case fault.Start:
				time.Sleep(20 * time.Millisecond)
			case fault.Scale:
				return fault.Done{Began: began}, errors.New("no place")
			case fault.Drain:
				<-ctx.Done()
				return fault.Done{Began: began}, context.Cause(ctx)
			}
			return fault.Done{Began: began, Ended: time.Now(), URL: "http://" + f.On}, nil
		}
		address, _ := s.sim(nil)
		p := s.bench(address, dataset+`,"pace":{"name":"constant","rate":40},"load":{"num_prompts":120,"faults":[
			{"at":"1s","do":"kill","on":"b","for":"500ms"},{"after":41,"do":"stop","on":"a"},{"at":"2s","do":"scale","to":3},
			{"at":"2500ms","do":"drain","on":"b"},{"at":"1m","do":"kill","on":"a"},{"at":"2600ms","do":"cut","on":"b","for":"1m"}]}`)
		var got []string
		slices.SortStableFunc(p.faults, func(a, b journal.Fault) int { return int(a.At - b.At) })
		for _, f := range p.faults {
			got = append(got, fmt.Sprintf("%v %v %v %s %s %s", time.Duration(f.At), time.Duration(f.Done), time.Duration(f.Planned), f.Do, f.On, strings.TrimSpace(f.Detail+" "+f.Error)))
		}
		end := p.faults[len(p.faults)-1].At // the load is over
		over := time.Duration(end).String()
		want := []string{
			"1s 1s 1s kill b ",
			"1.025s 1.025s 0s stop a ", // the 41st request, of which the first is sent after 25 ms
			"1.5s 1.52s 1.5s start b ",
			"2s 0s 2s scale  no place",
			"2.5s 0s 2.5s drain b it was still under way when the load was over",
			"2.6s 2.6s 2.6s cut b ",
			over + " 0s 1m0s kill a not done: the load was over before",
			over + " " + over + " 0s continue a ",
			over + " " + over + " 0s mend b ",
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the journal has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if p.faults[0].URL == "" || slices.Contains(done, "kill a") {
			t.Errorf("%+v; done: %q", p.faults[0], done)
		}
	})
}
