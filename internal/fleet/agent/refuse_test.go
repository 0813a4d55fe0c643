package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/fleet/seal"
	"github.com/inferometer/inferometer/internal/spec"
)

// hosts of the table are read as the user of an agent would write them.
func TestAllow(t *testing.T) {
	for _, c := range []struct {
		rules, address string
		ok             bool
	}{
		{"", "http://127.0.0.1:8000", false}, // whatever listens there, a leader elsewhere would read its answers
		{"", "http://localhost", false},
		{"", "http://[::1]:8000", false},
		{"", "http://10.0.0.1:8000", false},
		{"localhost:8000", "http://localhost:8000", true},
		{"localhost:8000", "http://localhost:6379", false},
		{"localhost:8000", "http://localhost.evil.example:8000", false},
		{"127.0.0.1:8000", "http://[::ffff:127.0.0.1]:8000", true},
		{"127.0.0.1:8000", "http://127.0.0.1:5432", false},
		{"127.0.0.1:8000", "http://127.0.0.1", false},
		{"127.0.0.1", "http://127.0.0.1:5432", true},
		{"127.0.0.1", "http://127.0.0.1.evil.example", false},
		{"127.0.0.1", "http://127.0.0.1@evil.example", false},
		{"127.0.0.1:08000", "http://127.0.0.1:8000", true},
		{"10.0.0.0/8:8000", "http://10.9.9.9:8000", true},
		{"10.0.0.0/8:8000", "http://10.9.9.9:8001", false},
		{"[fd00::/8]:8000", "http://[fd00::5]:8000", true},
		{"*:8000", "http://anything.example:8000", true},
		{"*.example:8000", "http://a.example:22", false},
		{"llm.example", "http://127.0.0.1:8000", false},
		{"llm.example", "http://LLM.example.:8000", true},
		{"llm.example", "https://llm.example", true},
		{"llm.example", "https://evil-llm.example", false},
		{"llm.example:8000", "http://llm.example:8000", true},
		{"llm.example:8000", "http://llm.example", false},
		{"llm.example:443", "https://llm.example", true},
		{"*.example", "http://a.b.example", true},
		{"*.example", "http://example", false},
		{"*.example", "http://a.example.evil", false},
		{"10.0.0.0/8", "http://10.9.9.9", true},
		{"10.0.0.0/8", "http://11.0.0.1", false},
		{"10.0.0.0/8", "http://10.evil.example", false},
		{"10.1.2.3", "http://10.1.2.3:1", true},
		{"[::1]:80", "http://[::1]", true},
		{"*", "http://anything.example", true},
		{"*:8000", "http://anything.example", false},
		{"*", "no address", false},
	} {
		a, err := ParseAllow(strings.Fields(c.rules))
		if err != nil {
			t.Fatalf("%s: %v", c.rules, err)
		}
		if err := a.Check(c.address); (err == nil) != c.ok {
			t.Errorf("%q for %q: %v", c.address, c.rules, err)
		}
	}
	for _, wrong := range []string{"", "http://llm.example", "a*b", "*example", "a b", "user@host", "::1:80:x"} {
		if a, err := ParseAllow([]string{wrong}); err == nil {
			t.Errorf("%q was taken as %+v", wrong, a)
		}
	}
}

// What an agent says at its start that it may load tells of every port where none was named.
func TestAllowIsSaid(t *testing.T) {
	for words, want := range map[string]string{
		"":                          "nothing",
		"llm.example:8000":          "llm.example:8000",
		"llm.example 10.0.0.0/8:80": "llm.example (every port), 10.0.0.0/8:80",
		"*":                         "* (every host and port that this machine reaches, its own too)",
		"*:8000":                    "*:8000 (every host that this machine reaches, itself too)",
	} {
		a, err := ParseAllow(strings.Fields(words))
		if err != nil || a.String() != want {
			t.Errorf("%q: %q, %v", words, a, err)
		}
	}
	for address, want := range map[string]string{"http://llm.example": "llm.example:80", "https://llm.example/v1": "llm.example:443", "http://[::1]:8000": "[::1]:8000", "none": ""} {
		if got := AllowOf(address); got != want {
			t.Errorf("%s: %q", address, got)
		}
	}
}

func FuzzAllow(f *testing.F) {
	f.Add("*.example:80", "http://a.example")
	f.Add("10.0.0.0/8", "http://[::ffff:10.0.0.1]")
	f.Fuzz(func(t *testing.T, word, address string) {
		a, err := ParseAllow([]string{word})
		if err != nil {
			return
		}
		if a.Check(address) == nil && len(a.rules) != 1 {
			t.Fatal("allowed by nothing")
		}
	})
}

// What a leader must not be able to ask for is refused with a sentence, before anything is
// read, written or connected to.
func TestRealOffersRefused(t *testing.T) {
	server := fleettest.Start(t)
	l := startLeader(t, server.URL, "r")
	t.Setenv("AGENTS_OWN_SECRET", "hidden")
	p := startAgent(t, server.URL, t.TempDir(), func(a *Agent) { a.Allow, _ = ParseAllow([]string{"127.0.0.1:8000"}) })
	const url = "http://127.0.0.1:8000"
	digest := strings.Repeat("a", 64)
	for name, c := range map[string]struct {
		change func(*spec.Spec, *message.Ask)
		said   string
	}{
		"version": {func(_ *spec.Spec, a *message.Ask) { a.Version = "2.0.0+abc" }, "the leader is inferometer 2.0.0+abc, and this agent 1.0.0+abc"},
		"none":    {func(_ *spec.Spec, a *message.Ask) { a.Version = "" }, "same version"},
		"no Spec": {func(_ *spec.Spec, a *message.Ask) { a.Spec = []byte(`{"version":1,"servers":{}}`) }, `"servers" is no section`},
		"invalid": {func(s *spec.Spec, _ *message.Ask) { s.Backend = "smtp" }, "server.backend"},
		"target":  {func(s *spec.Spec, _ *message.Ask) { s.URLs = []string{url, "http://10.0.0.1:8000"} }, "the host 10.0.0.1:8000 is not one that this agent may load"},
		"port":    {func(s *spec.Spec, _ *message.Ask) { s.URLs = []string{"http://127.0.0.1:22"} }, "may load"},
		"proxy":   {func(s *spec.Spec, _ *message.Ask) { s.Proxy = "http://proxy.example:3128" }, "the host proxy.example:3128"},
		"power":   {func(s *spec.Spec, _ *message.Ask) { s.Power.Text = "prometheus:http://prom.example?query=up" }, "the host prom.example:80"},
		"header": {func(s *spec.Spec, _ *message.Ask) {
			s.Headers = []spec.Header{{Name: "X-A", Value: spec.Value{Env: "AGENTS_OWN_SECRET"}}}
		}, "AGENTS_OWN_SECRET is not set"},
		"key":  {func(s *spec.Spec, _ *message.Ask) { s.APIKey.Env = "AGENTS_OWN_SECRET" }, "AGENTS_OWN_SECRET is not set"},
		"body": {func(s *spec.Spec, _ *message.Ask) { s.ExtraBody = []byte(`{"x":{"$env":"AGENTS_OWN_SECRET"}}`) }, "AGENTS_OWN_SECRET is not set"},
		"state": {func(s *spec.Spec, _ *message.Ask) {
			s.Headers = []spec.Header{{Name: "X-A", Value: spec.Value{Env: "XDG_STATE_HOME"}}}
		}, "XDG_STATE_HOME is not set"},
		"dataset":   {func(s *spec.Spec, _ *message.Ask) { _ = s.ChooseDataset("custom"); s.Path = "/etc/passwd" }, "no file came with it"},
		"tokenizer": {func(s *spec.Spec, _ *message.Ask) { s.Tokenizer, s.SkipTokenizerInit = "/etc", false }, "no file of it came"},
		"file name": {func(_ *spec.Spec, a *message.Ask) {
			a.Files = []message.File{{SHA256: digest, Bytes: 1, For: "dataset", Name: "../x"}}
		}, "is none"},
		"file kind": {func(_ *spec.Spec, a *message.Ask) {
			a.Files = []message.File{{SHA256: digest, Bytes: 1, For: "program", Name: "x"}}
		}, "is not known here"},
		"file size": {func(_ *spec.Spec, a *message.Ask) {
			a.Files = []message.File{{SHA256: digest, Bytes: 1 << 60, For: "dataset", Name: "x"}}
		}, "too large"},
		"programs": {func(s *spec.Spec, _ *message.Ask) { s.AllowCode = true }, "allow_code"},
		"give up":  {func(s *spec.Spec, _ *message.Ask) { s.GiveUp, s.Duration = "p99_ttft<1s", time.Minute }, "give_up"},
		"sealed":   {func(_ *spec.Spec, a *message.Ask) { a.Sealed = []byte("no secret at all") }, "do not open"},
		"own name": {func(_ *spec.Spec, a *message.Ask) {
			a.Sealed, _ = seal.Seal(p.Secrets.Public(), "r", p.ID, map[string]string{"XDG_STATE_HOME": "/elsewhere"})
		}, "can't have the name"},
	} {
		t.Run(name, func(t *testing.T) {
			s := asked(url, 10, 0)
			ask := offer("r", s)
			ask.Spec = nil
			c.change(s, ask)
			if ask.Spec == nil {
				ask.Spec = s.Encode()
			}
			// Without the bus, which refuses some of it already: a leader need not be ours.
			_, err := p.check(ask)
			if err == nil || !strings.Contains(err.Error(), c.said) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%v", err)
			}
		})
	}
	l.offeredNothing(p)
	s := asked("http://10.0.0.1:8000", 10, 0)
	if a := l.ask(p.ID, offer("r", s)); !strings.Contains(a.Error, "may load") || a.Nonce != "" || !p.said.has("refused the run r") {
		t.Errorf("%+v", a)
	}
	if entries, err := os.ReadDir(p.runs()); err != nil || len(entries) != 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if a := l.ask(p.ID, &message.Ask{Kind: "shutdown", Run: "r"}); a.Error == "" {
		t.Error("an unknown word was taken")
	}
	if a := l.ask(p.ID, &message.Ask{Kind: message.Start, Run: "r"}); !strings.Contains(a.Error, "does not take part") {
		t.Errorf("%+v", a)
	}
}

// Files come with the offer and are used in place of the paths that the Spec names; what
// it wants written is not; secrets reach the server.
func TestRealFilesAndSecrets(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r")
	p := startAgent(t, server.URL, t.TempDir(), nil)
	elsewhere := t.TempDir()
	data := filepath.Join(elsewhere, "prompts.jsonl")
	if err := os.WriteFile(data, []byte(`{"prompt":"one two three"}`+"\n"+`{"prompt":"four five six"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := l.PutFile(t.Context(), data, "dataset")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(data); err != nil { // what is left is the object store's
		t.Fatal(err)
	}
	s := asked(url, 2, 0)
	if err := s.ChooseDataset("custom"); err != nil {
		t.Fatal(err)
	}
	s.Path, s.NumPrompts, s.IgnoreEOS = data, 2, false
	s.SaveResult, s.ResultDir, s.AppendMarkdown, s.RunDir = true, filepath.Join(elsewhere, "results"), filepath.Join(elsewhere, "x.md"), filepath.Join(elsewhere, "run")
	s.PlotTimeline, s.SummaryFile = true, filepath.Join(elsewhere, "summary.json")
	s.APIKey.Env = "LEADERS_KEY"
	ask := offer("r", s)
	ask.Files = []message.File{file}
	if ask.Sealed, err = seal.Seal(p.Secrets.Public(), "r", p.ID, map[string]string{"LEADERS_KEY": "sk-very-secret"}); err != nil {
		t.Fatal(err)
	}
	nonce := l.offered(p, ask)
	if s := l.awaitPhase(p.ID, message.Ready, message.Failed); s.Phase == message.Failed {
		t.Fatal(s.Error)
	}
	l.start(p.ID, "r", nonce)
	ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
	if ended.Phase != message.Ended || ended.Done != 2 {
		t.Errorf("%+v", ended)
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) != 0 {
		t.Errorf("the agent wrote %v, %v", entries, err)
	}
	_ = filepath.WalkDir(p.State, func(path string, d os.DirEntry, err error) error {
		if b, _ := os.ReadFile(path); strings.Contains(string(b), "sk-very-secret") {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
}

// A file that is another one than its digest says ends the run before it begins.
func TestRealFileIsNotThere(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r")
	p := startAgent(t, server.URL, t.TempDir(), nil)
	ask := offer("r", asked(url, 2, 0))
	ask.Files = []message.File{{SHA256: strings.Repeat("a", 64), Bytes: 10, For: "dataset", Name: "x"}}
	l.offered(p, ask)
	failed := l.awaitPhase(p.ID, message.Failed)
	if !strings.Contains(failed.Error, "fetch the dataset x") || failed.Sent != 0 || failed.Reserved != 0 {
		t.Errorf("%+v", failed)
	}
}
