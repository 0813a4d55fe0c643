package lead

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	fleetagent "github.com/inferometer/inferometer/internal/fleet/agent"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/seal"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/spec"
)

// startAgent runs the real agent in this process.
func startAgent(t *testing.T, url, name string) {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	key, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	allow, err := fleetagent.ParseAllow([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	host := testHost(t, nil)
	a := &fleetagent.Agent{
		Bus: b, ID: fleetagent.NewID(name), Name: name, State: filepath.Join(t.TempDir(), "inferometer"), Version: version, Secrets: key, Allow: allow,
		Say:  func(string, ...any) {},
		Host: func() *bench.Host { own := *host; return &own },
	}
	drain, done := make(chan struct{}), make(chan error, 1)
	go func() { close(ready); done <- a.Run(context.Background(), drain) }()
	<-ready
	t.Cleanup(func() {
		close(drain)
		if err := <-done; err != nil {
			t.Error(err)
		}
		b.Close()
	})
}

// With real agents, and files that only the leader has, a fleet's run is the single run.
func TestRealAgents(t *testing.T) {
	t.Parallel()
	nats := fleettest.Start(t)
	server := startSim(t, nil, 2*time.Millisecond)
	for i := range 3 {
		startAgent(t, nats.URL, fmt.Sprint("host-", i))
	}
	dataset := filepath.Join(t.TempDir(), "prompts.jsonl")
	var lines bytes.Buffer
	for i := range 60 {
		fmt.Fprintf(&lines, "{\"prompt\": \"the question number %d\", \"output_tokens\": 4}\n", i)
	}
	if err := os.WriteFile(dataset, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]string{
		"a file":        fmt.Sprintf(`"dataset":{"name":"custom","path":%q,"output_len":4},"pace":{"rate":100},"load":{"num_prompts":60}`, dataset),
		"conversations": `"dataset":{"name":"multi-turn","input_len":8,"output_len":4},"load":{"num_prompts":20,"max_conversations":5}`,
	} {
		t.Run(name, func(t *testing.T) {
			make := func() *spec.Spec {
				backend := "openai"
				if name == "conversations" {
					backend = "openai-chat"
				}
				text := fmt.Sprintf(`{"version":1,"server":{"urls":[%q],"backend":%q,"skip_tokenizer_init":true},%s,"keep":{"run_dir":%q},"fleet":{"nats":%q,"wait":"20s","agents":3}}`,
					server, backend, part, filepath.Join(t.TempDir(), "run"), nats.URL)
				s, err := spec.Decode(bytes.NewReader([]byte(text)))
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			single := make()
			single.Fleet = spec.Fleet{}
			run, err := bench.Execute(t.Context(), nil, single, testHost(t, nil))
			if err != nil {
				t.Fatal(err)
			}
			defer run.Close()
			want, alone := records(t, run)
			var said bytes.Buffer
			done, err := Execute(t.Context(), nil, make(), testHost(t, &said))
			if err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			defer done.Close()
			got, fleet := records(t, done)
			if n := tally(got); n[journal.Complete] != len(want) || len(got) != len(want) || len(want) < 40 {
				t.Errorf("%v, and a single run has %d\n%s", n, len(want), &said)
			}
			if sha := fleet.End().WorkloadSHA; sha == "" || sha != alone.End().WorkloadSHA {
				t.Errorf("the hash is %q, and a single run's %s\n%s", sha, alone.End().WorkloadSHA, &said)
			}
		})
	}
}
