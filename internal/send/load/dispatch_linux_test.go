package load

import (
	"syscall"
	"testing"

	"github.com/inferometer/inferometer/internal/send/pace"
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
