package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// An offer that names a file of the agent's machine as its task: the file is not opened, so
// that no answer tells the leader what is in it, or whether it is there.
func TestRealOfferOpensNoTask(t *testing.T) {
	t.Parallel()
	p := startAgent(t, fleettest.Start(t).URL, t.TempDir(), func(a *Agent) { a.Allow, _ = ParseAllow([]string{"127.0.0.1:8000"}) })
	secret := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(secret, []byte("private_key_name: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for name, path := range map[string]string{"there": secret, "absent": secret + "-absent"} {
		s := asked("http://127.0.0.1:8000", 10, 0)
		if err := s.ChooseDataset(workload.EvalName); err != nil {
			t.Fatal(err)
		}
		s.DatasetOptions.(*workload.EvalOptions).Task = path
		s.IgnoreEOS = false
		_, err := p.check(offer("r", s))
		if err != nil {
			said[name] = strings.ReplaceAll(err.Error(), path, "")
		}
	}
	if said["there"] != said["absent"] || strings.Contains(said["there"], "private_key_name") {
		t.Errorf("the answers differ, or tell what is in the file: %q", said)
	}
}

// What an offer wants written on the agent's machine is taken out of it.
func TestRealOfferWritesNothing(t *testing.T) {
	t.Parallel()
	p := startAgent(t, fleettest.Start(t).URL, t.TempDir(), func(a *Agent) { a.Allow, _ = ParseAllow([]string{"127.0.0.1:8000"}) })
	s := asked("http://127.0.0.1:8000", 10, 0)
	s.Keep = spec.Keep{
		RunDir: "/x", SaveResult: true, AppendResult: true, ResultDir: "/x", ResultFilename: "/x/y.json", AppendMarkdown: "/x.md", SummaryFile: "/x.csv",
		PlotTimeline: true, PlotDatasetStats: true, ScrapeEvery: s.ScrapeEvery, Hardware: s.Hardware,
	}
	o, err := p.check(offer("r", s))
	if err != nil {
		t.Fatal(err)
	}
	k := o.spec.Keep
	if k.RunDir != "" || k.SaveResult || k.AppendResult || k.ResultDir != "" || k.ResultFilename != "" || k.AppendMarkdown != "" || k.SummaryFile != "" || k.PlotTimeline || k.PlotDatasetStats || len(k.ServerLogs) > 0 {
		t.Errorf("the agent would write or read: %+v", k)
	}
}
