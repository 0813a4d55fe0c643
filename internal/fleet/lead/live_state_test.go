package lead

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/merge"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/send/live"
	"github.com/inferometer/inferometer/internal/spec"
)

// A fleet's state is what its agents told last, added up; their histograms are merged.
func TestStateOfAFleet(t *testing.T) {
	encoded := func(values ...int64) map[string]json.RawMessage {
		h := hist.New(6)
		for _, v := range values {
			h.Add(v * 1e6)
		}
		b, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]json.RawMessage{"ttft": b}
	}
	now := time.Now()
	asked := spec.Default()
	l := &leader{
		host: &bench.Host{Live: &live.Feed{}}, began: now.Add(-20 * time.Second), plan: &bench.Plan{Spec: &asked},
		list: list{requests: make([]merge.Request, 200)},
		agents: []*agent{
			{member: member{ID: "a"}, contact: now, status: &message.Status{Phase: message.Running, Sent: 60, Done: 40, Failed: 10, InFlight: 10, Tokens: 900, Live: encoded(10, 10, 10)}},
			{member: member{Name: "b\x1b[2J"}, contact: now.Add(-time.Minute), status: &message.Status{Phase: message.Running, Sent: 50, Done: 50, Tokens: 1100, Live: encoded(10, 400)}},
		},
	}
	teller := &stateTeller{l: l, past: []course{{at: now.Add(-30 * time.Second)}, {at: now.Add(-8 * time.Second)}}}
	s := teller.state(now)
	if s.Sent != 110 || s.Completed != 90 || s.Failed != 10 || s.InFlight != 10 || s.Total != 200 || s.Phase != live.Running {
		t.Errorf("%+v", s)
	}
	if s.TTFT.Count != 5 || s.TTFT.P50 < 9.9 || s.TTFT.P50 > 10.1 || s.TTFT.P99 < 350 || s.ITL.Count != 0 {
		t.Errorf("TTFT %+v, ITL %+v", s.TTFT, s.ITL)
	}
	if s.TokensPerS != 250 || s.RequestsPerS != 11.25 || s.Left < 19 || s.Left > 21 {
		t.Errorf("%v tokens/s, %v requests/s, %v s left", s.TokensPerS, s.RequestsPerS, s.Left)
	}
	if len(s.Agents) != 2 || s.Agents[0].Silent || !s.Agents[1].Silent || s.Agents[1].Name != "b" || s.Agents[0].Ended != 50 {
		t.Errorf("agents are %+v", s.Agents)
	}
	teller.end()
	if last := l.host.Live.Last(); last == nil || last.Phase != live.Ended {
		t.Errorf("the last state is %+v", last)
	}
}
