package roles

import (
	"math"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// twoRoles is a run with a server for prefill on 2 GPUs and one for decode on 6.
var twoRoles = journal.Run{Replicas: []journal.Replica{{Name: "p", Role: journal.Prefill, GPUs: 2}, {Name: "d", Role: journal.Decode, GPUs: 6}}}

func of(v float64) *float64 { return &v }

func waits(mean, above float64, reads int) *serving.Level {
	return &serving.Level{Mean: mean, Above: above, Reads: reads}
}

// told is what both roles say: each has the whole prompts.
func told(prefill, decode *serving.Level, deferred *serving.Level) *serving.Summary {
	return &serving.Summary{Roles: []serving.Server{
		{Role: journal.Prefill, Kind: "vLLM", Waiting: prefill, PromptTokens: &serving.Counted{Server: 1000}, LocalHits: of(100), Transferred: of(0)},
		{
			Role: journal.Decode, Kind: "vLLM", Waiting: decode, AwaitTransfer: deferred, PromptTokens: &serving.Counted{Server: 1000}, LocalHits: of(0), Transferred: of(990),
			Transfer: &serving.Times{Count: 10, Mean: 20}, TransferBytes: of(2e8),
		},
	}}
}

func TestNeverMerged(t *testing.T) {
	r := NewCollector(&twoRoles).Result(told(nil, nil, nil), Work{Input: 4000, Output: 600, Total: 4600})
	if len(r.Each) != 2 || *r.Each[0].Computed != 900 || *r.Each[1].Computed != 10 {
		t.Errorf("computed: %+v", r.Each)
	}
	if got := r.Each[1].TransferRate; r.Each[0].TransferRate != nil || got == nil || *got != 1e9 {
		t.Errorf("bytes a second: %v", got)
	}
	if g := r.PerGPU; g == nil || g.GPUs != 8 || g.TotalAll != 575 || *g.InputPrefill != 2000 || *g.OutputDecode != 100 {
		t.Errorf("per GPU: %+v", g)
	}
	if r.Advice != nil || r.SecondGap != nil || r.Stages != nil {
		t.Errorf("what nobody knows is told: %+v", r)
	}
}

// TestGPUsOfAll: without the GPUs of each role there is one convention alone.
func TestGPUsOfAll(t *testing.T) {
	run := journal.Run{Replicas: []journal.Replica{{Role: journal.Prefill, GPUs: 2}, {Role: journal.Decode}, {Role: journal.Decode, GPUs: -7}}}
	if r := NewCollector(&run).Result(nil, Work{Total: 80}); r.PerGPU != nil || r.Each[1].Servers != 2 || r.Each[1].GPUs != 0 {
		t.Errorf("%+v", r)
	}
	if r := NewCollector(&run).Result(nil, Work{GPUs: 8, Total: 80}); r.PerGPU == nil || r.PerGPU.TotalAll != 10 || r.PerGPU.OutputDecode != nil {
		t.Errorf("%+v", r.PerGPU)
	}
}

// TestEnergyByRole: of the GPUs that are named, where each is known and stands for one device.
func TestEnergyByRole(t *testing.T) {
	gpu := func(id string, joules *float64) hardware.Device {
		return hardware.Device{Kind: hardware.GPU, ID: id, EnergyJ: joules}
	}
	run := journal.Run{Replicas: []journal.Replica{{Role: journal.Prefill, Devices: []string{"0"}}, {Role: journal.Decode, Devices: []string{"1", "2"}}}}
	for _, c := range []struct {
		name            string
		devices         []hardware.Device
		prefill, decode *float64 // joules
	}{
		{"each its own", []hardware.Device{gpu("0", of(500)), gpu("1", of(300)), gpu("2", of(100)), gpu("3", of(9))}, of(500), of(400)},
		{"one is not known", []hardware.Device{gpu("0", of(500)), gpu("1", nil), gpu("2", of(100))}, of(500), nil},
		{"one is not there", []hardware.Device{gpu("0", of(500)), gpu("1", of(300))}, of(500), nil},
		{"two machines", []hardware.Device{gpu("0", of(500)), gpu("0", of(500)), gpu("1", of(1)), gpu("2", of(1))}, nil, of(2)},
		{"the same twice", []hardware.Device{gpu("0", of(500)), {Kind: hardware.GPU, ID: "0", EnergyJ: of(7), Same: "nvidia-smi"}}, of(500), nil},
	} {
		r := NewCollector(&run).Result(nil, Work{Input: 50, Output: 4, Hardware: &hardware.Summary{Seconds: 10, Devices: c.devices}})
		for i, want := range []*float64{c.prefill, c.decode} {
			got := r.Each[i].Energy
			if (got == nil) != (want == nil) || got != nil && got.Joules != *want {
				t.Errorf("%s, %s: %+v", c.name, r.Each[i].Role, got)
			}
		}
		if c.name == "each its own" && (*r.Each[0].Energy.PerToken != 1 || *r.Each[1].Energy.PerToken != 10 || r.Each[1].Energy.Watts != 40) {
			t.Errorf("%+v %+v", r.Each[0].Energy, r.Each[1].Energy)
		}
	}
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name                      string
		prefill, decode, deferred *serving.Level
		want                      journal.Role // empty: none
	}{
		{"prefill queues", waits(5, 0.95, 60), waits(0, 0, 60), nil, journal.Prefill},
		{"decode queues", waits(0, 0.05, 60), waits(9, 1, 60), waits(0.5, 0.5, 60), journal.Decode},
		{"caches are on their way", waits(0, 0, 60), waits(3, 0.95, 60), waits(3, 0.95, 60), ""},
		{"prefill queues and caches are on their way", waits(4, 1, 60), waits(3, 0.95, 60), waits(3, 0.95, 60), journal.Prefill},
		{"both queue", waits(5, 1, 60), waits(5, 1, 60), nil, ""},
		{"neither", waits(0, 0, 60), waits(0, 0, 60), nil, ""},
		{"a queue now and then", waits(1.5, 0.4, 60), waits(0, 0, 60), nil, ""},
		{"few looks", waits(5, 1, 5), waits(0, 0, 5), nil, ""},
		{"decode does not tell", waits(5, 1, 60), nil, nil, ""},
	} {
		got := NewCollector(&twoRoles).Result(told(c.prefill, c.decode, c.deferred), Work{}).Advice
		if (got == nil) != (c.want == "") || got != nil && got.Narrow != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// request is an answer whose first token came after 60 ms and whose later ones came 4, 10 and 10 ms apart.
func request(change func(*journal.Request)) *row.Request {
	q := &journal.Request{ServerQueueNs: 5e6, ServerPromptNs: 30e6, ServerTransferNs: 15e6}
	change(q)
	r := &row.Request{Request: q, Chunks: []int64{60e6, 64e6, 74e6, 84e6}}
	r.Row.First = 60e6
	return r
}

func TestStages(t *testing.T) {
	c := NewCollector(&journal.Run{})
	c.Add(request(func(*journal.Request) {}))
	c.Add(request(func(q *journal.Request) { q.ServerTransferNs = 45e6 }))                      // more than there was
	c.Add(request(func(q *journal.Request) { q.ServerTransferNs, q.Prefiller = 0, "p" }))       // tells no parts
	c.Add(request(func(q *journal.Request) { q.ServerTransferNs = 0; q.ServerQueueNs = 9e15 })) // nothing shows that it was split
	r := c.Result(nil, Work{})
	s := r.Stages
	if s == nil || s.Requests != 2 || s.Over != 1 || s.Transfer != 30 || math.Abs(s.TTFT-s.Queue-s.Prefill-s.Transfer-s.Rest) > 1e-9 {
		t.Errorf("%+v", s)
	}
	if g := r.SecondGap; g == nil || g.Answers != 3 || math.Abs(g.Median-4) > 1e-9 || math.Abs(g.Excess+6) > 1e-9 {
		t.Errorf("%+v", g)
	}
	if r.Each != nil || r.PerGPU != nil {
		t.Errorf("roles of servers that nobody knows: %+v", r)
	}
}

func TestNotApart(t *testing.T) {
	c := NewCollector(&journal.Run{Replicas: []journal.Replica{{Name: "a"}, {Name: "b"}}})
	c.Add(request(func(q *journal.Request) { q.ServerTransferNs = 0 }))
	if r := c.Result(&serving.Summary{}, Work{GPUs: 8}); r != nil {
		t.Errorf("%+v", r)
	}
}
