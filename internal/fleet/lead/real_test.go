package lead

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/bench"
	agents "github.com/inferometer/inferometer/internal/fleet/agent"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/seal"
)

// real is an agent as it runs on another machine, in this process.
type real struct {
	*agents.Agent
	state string
	end   func()
	has   func(words string) bool // it has said them
}

func startReal(t *testing.T, url, name string) *real {
	t.Helper()
	r := &real{state: filepath.Join(t.TempDir(), "inferometer")}
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	key, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said bytes.Buffer
	ready := make(chan struct{})
	var once sync.Once
	host := testHost(t, nil)
	r.Agent = &agents.Agent{
		Bus: b, ID: agents.NewID(name), Name: name, State: r.state, Version: version, Secrets: key,
		Host: func() *bench.Host { h := *host; h.Say, h.Warn = nil, nil; return &h },
		Say: func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			say(&said, format, args...)
			once.Do(func() { close(ready) })
		},
	}
	r.has = func(words string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(said.String(), words)
	}
	if r.Allow, err = agents.ParseAllow([]string{"127.0.0.1"}); err != nil {
		t.Fatal(err)
	}
	drain, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.Run(context.Background(), drain) }()
	r.end = sync.OnceFunc(func() {
		close(drain)
		if err := <-done; err != nil {
			t.Error(err)
		}
		b.Close()
	})
	t.Cleanup(func() {
		r.end()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, &said)
		}
	})
	<-ready
	return r
}

// keeps is how many runs an agent keeps on its disk.
func (r *real) keeps(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(r.state, "fleet", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// knownRuns are those that NATS keeps something of.
func knownRuns(t *testing.T, url string) []string {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	runs, err := b.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// say writes a line.
func say(to *bytes.Buffer, format string, args ...any) { fmt.Fprintf(to, format+"\n", args...) }
