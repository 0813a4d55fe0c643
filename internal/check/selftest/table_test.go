package selftest

import "testing"

func TestTable(t *testing.T) {
	r := Result{Machine: Machine{Host: "h", CPUs: 2, CPU: "a processor"}, Engine: "loop", Stamps: "kernel"}
	r.Steps = []Step{
		{Streams: 10, Asked: 1000, Rounds: []Round{
			{TokensPerS: 990, TTFTMedian: 0.1, TTFTP99: 1, ITLMedian: 0.001, ITLP99: 0.02, LagP99: 0.5, CPU: 0.04},
			{TokensPerS: 1000, TTFTMedian: 0.3, TTFTP99: 12.34, ITLMedian: 0.003, ITLP99: 0.01, LagP99: 1.25, CPU: 0.06},
		}},
		{Streams: 10000, Asked: 1e6, Fails: "too much", Rounds: []Round{{TokensPerS: 123456, TTFTP99: 1234, ITLP99: 99, LagP99: 100, CPU: 2}}},
	}
	want := `h, 2 × a processor; engine loop, kernel times

             tokens/s          TTFT error, ms   inter-token, ms   lag, ms   client
streams    asked  reached    median      p99   median      p99       p99      CPU
     10     1000      995     0.200     12.3    0.002    0.020      1.25       5%
  10000  1000000   123456     0.000     1234    0.000     99.0       100     200%
        ✗ the client fails here: too much
`
	if got := r.Table(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
