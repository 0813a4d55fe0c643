package load

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
)

// telling is a source that says when it was first asked.
type telling struct {
	workload.Source
	once  sync.Once
	asked chan struct{}
}

func (s *telling) Next() (*workload.Request, error) {
	s.once.Do(func() { close(s.asked) })
	return s.Source.Next()
}

// The first requests are made before the instant at which they are sent, and a Begin that
// fails leaves nothing behind.
func TestPreparedBeforeBegin(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		for _, failure := range []error{nil, errors.New("no")} {
			source := &telling{Source: &prompts{n: 200, tokens: 2}, asked: make(chan struct{})}
			cfg, read := setup(t, s, "openai", pace.Spec{Name: pace.Closed, N: 200}, source)
			cfg.Concurrency = 4
			cfg.Begin = func(context.Context) error {
				<-source.asked
				return failure
			}
			res, err := Run(t.Context(), nil, cfg)
			if !errors.Is(err, failure) {
				t.Errorf("%v", err)
			}
			if failure != nil {
				_ = cfg.Journal.Close() // nothing is in it
				continue
			}
			if records, _ := read(); res.Sent != 200 || len(records) != 200 {
				t.Errorf("%d sent, %d in the journal", res.Sent, len(records))
			}
		}
	})
}

// Whoever counts what is sent knows each before it is, and can end it.
func TestSending(t *testing.T) {
	virtual(t, func(t *testing.T) {
		s := startSim(t, func(*sim.Config) {})
		cfg, read := setup(t, s, "openai", pace.Spec{Name: pace.Closed, N: 200}, &prompts{n: 200, tokens: 2})
		cfg.Concurrency = 4
		drain, last := make(chan struct{}), 0
		cfg.Sending = func(n int) bool {
			if n != last+1 {
				t.Errorf("%d after %d", n, last)
			}
			if last = n; n == 50 {
				close(drain)
				return false
			}
			return true
		}
		res, err := Run(t.Context(), drain, cfg)
		if records, _ := read(); err != nil || res.Sent != 49 || res.Interrupted == "" || len(records) != 49 {
			t.Errorf("%+v, %v, %d in the journal", res, err, len(records))
		}
	})
}
