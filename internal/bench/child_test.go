package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/spec"
)

// childOf is a child whose program is a script of the shell.
func childOf(t *testing.T, script string) *Child {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	s := spec.Default()
	s.RunDir = filepath.Join(dir, "run")
	return &Child{
		Program: program, Spec: &s, Log: filepath.Join(dir, "log"), PIDFile: filepath.Join(dir, "pid"),
		Flags: []string{"--progress", "plain"}, Secrets: map[string]string{"KEY": "sk-1"}, Env: []string{"RUN=" + s.RunDir},
	}
}

func TestRealChildOutcomes(t *testing.T) {
	const result = "echo '{}' > $RUN/result.json\n"
	for script, want := range map[string]string{
		result: "",
		result + "echo 'inferometer exec: INVALID' >&2; exit 4": "",
		result + "exit 7": "",
		result + "exit 3": ErrPartial.Error(),
		"":                "bench serve left no result; its log is ",
		"echo 'inferometer exec: no host' >&2\necho more\nexit 1": "bench serve: no host (exit status 1; its log is ",
		"kill -KILL $$": "bench serve:  (exit status -1; its log is ",
	} {
		c := childOf(t, script)
		o, err := c.Run(t.Context(), nil)
		if err != nil {
			t.Errorf("%s: %v", script, err)
			continue
		}
		if err := o.Err(); want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
		if errors.Is(o.Err(), ErrPartial) && o.Result == "" {
			t.Error("a partial run has a result")
		}
	}
}

// The child gets its Spec in a file of its user's own, and secrets by the environment.
func TestRealChildGetsItsSpec(t *testing.T) {
	c := childOf(t, `[ "$1 $2 $3 $4" = "exec --progress plain --own-spec" ] && cp "$5" "$RUN/result.json" && echo "$KEY" > "$RUN/key"`)
	file := filepath.Join(c.Spec.RunDir, "spec.json")
	if err := errors.Join(os.Mkdir(c.Spec.RunDir, 0o700), os.WriteFile(file, []byte("old"), 0o644)); err != nil {
		t.Fatal(err)
	}
	o, err := c.Run(t.Context(), nil)
	if err != nil || o.Err() != nil {
		t.Fatal(err, o)
	}
	got, err := os.ReadFile(o.Result)
	if err != nil || string(got) != string(c.Spec.Encode()) {
		t.Errorf("%s, %v", got, err)
	}
	if key, _ := os.ReadFile(filepath.Join(o.Folder, "key")); string(key) != "sk-1\n" {
		t.Errorf("the key is %q", key)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if strings.Contains(string(got), "sk-1") {
		t.Error("the secret is in the file")
	}
}

// A child is told what the user allowed: its Spec's file has no word for it.
func TestChildIsAllowedTheSame(t *testing.T) {
	s := spec.Default()
	s.AllowCode, s.May = true, &spec.Allowed{Read: []string{"data", "/more"}}
	c := Child{Program: "p", Spec: &s}
	if got := strings.Join(c.args("run", "run/spec.json"), " "); got != "p exec --own-spec --allow-read data --allow-read /more run/spec.json" {
		t.Error(got)
	}
	s.Resume = true
	if got := strings.Join(c.args("run", "run/spec.json"), " "); got != "p eval --resume run --own-spec --allow-read data --allow-read /more --allow-code" {
		t.Error(got)
	}
}

// The first interrupt reaches the child once, and the second as one more.
func TestRealChildIsInterrupted(t *testing.T) {
	const counts = `n=0
trap 'n=$((n+1)); echo $n > "$RUN/interrupts"; [ $n = LAST ] && exit 3' INT
echo up > "$RUN/up"
while :; do sleep 0.01; done`
	for _, last := range []string{"1", "2"} {
		c := childOf(t, strings.Replace(counts, "LAST", last, 1))
		ctx, cancel := context.WithCancel(t.Context())
		drain := make(chan struct{})
		ended := make(chan *Outcome)
		go func() {
			o, err := c.Run(ctx, drain)
			if err != nil {
				t.Error(err)
			}
			ended <- o
		}()
		awaitFile(t, filepath.Join(c.Spec.RunDir, "up"))
		close(drain)
		awaitFile(t, filepath.Join(c.Spec.RunDir, "interrupts"))
		if last == "2" {
			cancel()
		}
		if o := <-ended; o == nil || o.Code != ExitPartial {
			t.Errorf("%+v", o)
		}
		cancel()
		if got, _ := os.ReadFile(filepath.Join(c.Spec.RunDir, "interrupts")); string(got) != last+"\n" {
			t.Errorf("%q interrupts, want %s", got, last)
		}
	}
}

func awaitFile(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !exists(path); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", path)
		}
	}
}

// What nobody waits for any more is ended, with all that it started.
func TestRealChildEndsWithTheContext(t *testing.T) {
	c := childOf(t, `echo up > "$RUN/up"; sleep 3600`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		awaitFile(t, filepath.Join(c.Spec.RunDir, "up"))
		cancel()
	}()
	began := time.Now()
	o, err := c.Run(ctx, nil)
	if err != nil || o.Err() == nil || time.Since(began) > 10*time.Minute {
		t.Errorf("%+v, %v after %v", o, err, time.Since(began))
	}
	if exists(c.PIDFile) {
		t.Error("the PID file is left")
	}
}
