package load

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// BenchmarkDispatch is what a request costs the client without a network: prepared, sent, answered at once, written down.
func BenchmarkDispatch(b *testing.B) {
	for _, tt := range []struct {
		name string
		spec pace.Spec
		conc int
	}{
		{"closed", pace.Spec{Name: pace.Closed}, 64},
		{"burst", pace.Spec{Name: pace.Burst}, 0},
		{"constant", pace.Spec{Name: pace.Constant, Own: &pace.RateOptions{Rate: 20_000}}, 0},
	} {
		b.Run(tt.name, func(b *testing.B) {
			cfg, _, _ := overScripted(b, b.N)
			p, err := pace.New(tt.spec)
			if err != nil {
				b.Fatal(err)
			}
			cfg.Pace, cfg.Concurrency = p, tt.conc
			b.ReportAllocs()
			b.ResetTimer()
			begin := cpuTime(b)
			if res, err := Run(b.Context(), nil, cfg); err != nil || res.Sent != b.N {
				b.Fatal(res, err)
			}
			b.ReportMetric(float64(cpuTime(b)-begin)/float64(b.N), "cpu-ns/op")
			b.StopTimer()
			if err := cfg.Journal.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// cpuTime is what this process has had of the processors, in nanoseconds.
func cpuTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkTrees is what a turn costs the client without a network, by the turns of a tree: 2,000 are open, and the next turn of
// each is due at once or after a pause.
func BenchmarkTrees(b *testing.B) {
	for _, turns := range []int{10, 1000, 10_000} {
		for _, pause := range []time.Duration{0, 50 * time.Millisecond} {
			b.Run(fmt.Sprintf("%d turns, %v", turns, pause), func(b *testing.B) {
				cfg, on, _ := overScripted(b, 0)
				on.choice = `"delta":{"content":"well"}`
				backend, err := protocol.FindBackend("openai-chat")
				if err != nil {
					b.Fatal(err)
				}
				plan := make([]talk.Turn, turns)
				talk.Sequence(plan)
				for i := 1; i < turns; i++ {
					plan[i].Waits[0].Delay = pause
				}
				cfg.Source = &talking{n: max(b.N/turns, 2000) + 1, make: func(int) []talk.Turn { return plan }, maker: &long{contextOf(100)}, unkept: true}
				cfg.Protocol, cfg.Concurrency = backend, 0
				cfg.Conversations = &Conversations{MaxOpen: 2000, MaxRequests: b.N}
				b.ReportAllocs()
				b.ResetTimer()
				begin := cpuTime(b)
				if res, err := Run(b.Context(), nil, cfg); err != nil || res.Sent != b.N {
					b.Fatal(res, err)
				}
				b.ReportMetric(float64(cpuTime(b)-begin)/float64(b.N), "cpu-ns/op")
				b.StopTimer()
				if err := cfg.Journal.Close(); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
