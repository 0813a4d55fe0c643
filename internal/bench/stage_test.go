package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/observe"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// stage is what one scene is played on: a network of its own in virtual time, and a folder of the client's state.
type stage struct {
	*testing.T
	network memnet.Network
	state   string
	servers int
	runs    int

	observers []observe.Observer
	do        fault.Doer
}

// play plays in virtual time: servers and runs on one network, without a machine that could disturb them.
func play(t *testing.T, do func(s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { do(&stage{T: t, state: t.TempDir()}) })
}

// sim starts a simulator of 50 ms to the first token and 5 ms between tokens, unless change says otherwise.
func (s *stage) sim(change func(*sim.Config)) (address string, stop func()) {
	s.Helper()
	s.servers++
	return s.simAt(fmt.Sprintf("10.0.0.%d:80", s.servers), change)
}

func (s *stage) simAt(address string, change func(*sim.Config)) (_ string, stop func()) {
	s.Helper()
	cfg := sim.DefaultConfig()
	cfg.TTFT, cfg.ITL, cfg.GoTimers = random.Constant(50*time.Millisecond), random.Constant(5*time.Millisecond), true
	if change != nil {
		change(&cfg)
	}
	srv, err := sim.New(cfg, nil)
	if err != nil {
		s.Fatal(err)
	}
	l, err := s.network.Listen(address)
	if err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	ended := false
	stop = func() {
		if !ended {
			ended = true
			cancel()
			if err := <-done; err != nil {
				s.Error(err)
			}
			srv.Close()
		}
	}
	s.Cleanup(stop)
	return "http://" + address, stop
}

// played is what a run has shown.
type played struct {
	faults []journal.Fault
	*measure.Result
	verdict *verdict.Verdict
	console string
}

// bench makes a run of the random dataset. rest are the parts of its Spec beside the servers.
func (s *stage) bench(urls, rest string) *played {
	s.Helper()
	s.runs++
	quoted := `"` + strings.ReplaceAll(urls, ",", `","`) + `"`
	asked, err := spec.Decode(strings.NewReader(fmt.Sprintf(`{"version":1,"server":{"urls":[%s]},%s}`, quoted, rest)))
	if err != nil {
		s.Fatal(err)
	}
	asked.RunDir = filepath.Join(s.state, fmt.Sprint("run-", s.runs))
	host := &bench.Host{Version: "1", Observers: s.observers, Do: s.do, Host: prepare.Host{
		Environment: spec.Environment{
			Release: "1", Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
			Lookup: func(name string) (string, bool) { return s.state, name == "XDG_STATE_HOME" },
		},
		Dial: s.network.DialContext,
	}}
	run, err := bench.Execute(s.Context(), nil, asked, host)
	if err != nil {
		s.Fatal(err)
	}
	defer run.Close()
	j, err := run.Reopen()
	if err != nil {
		s.Fatal(err)
	}
	defer j.Close()
	p := &played{}
	var console bytes.Buffer
	of, err := judged.Journal(j, measure.Options{})
	if err != nil {
		s.Fatal(err)
	}
	p.Result, p.verdict, p.faults = of.Result, of.Verdict, j.Faults()
	if err := report.Console(&console, of.Result, report.Options{RunDir: run.Folder(), Verdict: of.Verdict, Explain: of.Explain, Details: true}); err != nil {
		s.Fatal(err)
	}
	p.console = console.String()
	return p
}
