package observe

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// BenchmarkDuringMany is the same for one of many replicas, of which nothing is kept whole.
func BenchmarkDuringMany(b *testing.B) { benchmarkDuring(b, make([]journal.Replica, 200)) }

// BenchmarkDuring is what one scrape of a real vLLM costs the client once it has arrived, in
// CPU time, which others on the machine change little.
func BenchmarkDuring(b *testing.B) { benchmarkDuring(b, nil) }

func benchmarkDuring(b *testing.B, replicas []journal.Replica) {
	b.Helper()
	text, err := os.ReadFile(testfiles.Path(b, "metrics", "vllm_0.32_cpu_live.prom"))
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	j, err := journal.Create(filepath.Join(dir, journal.FileName))
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	r := &Scrape{
		replicas: replicas, names: serving.NewTable(), whole: journal.NewMetricsWriter(filepath.Join(dir, journal.MetricsName)),
		Base: Base{Run: &Run{Journal: j, Clock: wire.NewClock()}}, values: &spec.Wire{Secrets: outside.NewSecrets("sk-some-long-secret")},
	}
	m := &metered{}
	before := client.ProcessUsage()
	for b.Loop() {
		r.writeDuring(m, &taken{metrics: exposition.Parse(text).Samples, texts: []journal.MetricsText{{Text: string(text)}}})
	}
	used := client.ProcessUsage().Since(before)
	b.ReportMetric(float64(used.UserCPUNs+used.SystemCPUNs)/1e6/float64(b.N), "cpu-ms/op")
	if _, err := r.whole.Close(); err != nil {
		b.Fatal(err)
	}
}
