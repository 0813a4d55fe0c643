package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
)

// overheard is all that goes through a nats-server, by subject.
type overheard struct {
	mu  sync.Mutex
	all map[string]*bytes.Buffer
}

func (o *overheard) take(m *nats.Msg) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all[m.Subject] == nil {
		o.all[m.Subject] = &bytes.Buffer{}
	}
	o.all[m.Subject].Write(m.Data)
}

// check looks into all of it, packed or not, and gives how many subjects begin with a word.
func (o *overheard) check(t *testing.T, words ...string) {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	count := map[string]int{}
	for subject, b := range o.all {
		checkNoSecret(t, subject, b.String())
		for _, secret := range echoSecrets {
			for shift := range 3 { // wherever it begins in base64
				coded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", shift) + secret))
				if strings.Contains(b.String(), coded[4:len(coded)-4]) {
					t.Errorf("%s holds %s in base64", subject, secret)
				}
			}
		}
		if d, err := zstd.NewReader(bytes.NewReader(b.Bytes())); err == nil {
			plain, _ := io.ReadAll(d) // what is no journal gives nothing
			d.Close()
			if strings.HasPrefix(subject, "inferometer.journal.") && len(plain) == 0 {
				t.Errorf("%s can't be read", subject)
			}
			checkNoSecret(t, subject, string(plain))
		}
		if at := bytes.Index(b.Bytes(), []byte{0x1f, 0x8b, 8}); at >= 0 {
			if d, err := gzip.NewReader(bytes.NewReader(b.Bytes()[at:])); err == nil {
				plain, _ := io.ReadAll(d)
				checkNoSecret(t, subject, string(plain))
			}
		}
		for _, word := range words {
			if strings.HasPrefix(subject, word) {
				count[word]++
			}
		}
	}
	for _, word := range words { // or nothing was tested
		if count[word] == 0 {
			t.Errorf("nothing went to %s", word)
		}
	}
}

// The secrets of a run reach the server that is loaded, by the agents, and nothing else:
// no message, store, log, journal or result, even where that server repeats them.
func TestRealSecretsOfAFleet(t *testing.T) {
	for _, c := range []struct{ fail, login bool }{{false, false}, {false, true}, {true, false}} {
		fail := c.fail
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			e := &echo{fail: fail}
			srv := httptest.NewServer(e)
			defer srv.Close()
			dir := t.TempDir()
			var said bytes.Buffer
			var mu sync.Mutex
			say := writerFunc(func(b []byte) (int, error) {
				mu.Lock()
				defer mu.Unlock()
				return said.Write(b)
			})
			command := func(name string, args ...string) *exec.Cmd {
				cmd := exec.Command(program(t), args...)
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, say, say
				cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state-"+name), "OPENAI_API_KEY=")
				return cmd
			}
			port := fleettest.FreePort(t)
			if err := command("leader", "fleet", "init", "--port", fmt.Sprint(port)).Run(); err != nil {
				t.Fatalf("%v\n%s", err, &said)
			}
			o := overhear(t, filepath.Join(dir, "fleet"), port)
			for i := range 2 {
				name := fmt.Sprintf("agent-%d", i)
				agent := command(name, "agent", "--nats", filepath.Join("fleet", "agent.json"), "--name", name, "--allow", "127.0.0.1")
				if err := agent.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					_ = agent.Process.Signal(syscall.SIGTERM)
					_ = agent.Wait()
				})
			}
			base, secrets := srv.URL, []string{"sk-echo-key-1", "hush-hush-2"}
			if c.login { // which is sent in place of the key
				base, secrets[0] = strings.Replace(srv.URL, "://", "://me:pass-word-3@", 1), "pass-word-3"
			}
			if !fail {
				secrets = append(secrets, "in-the-body-4")
			}
			lead := command("leader", "bench", "serve", "--fleet", filepath.Join("fleet", "leader.json"), "--fleet-agents", "2", "--backend", "openai", "--model", "m",
				"--base-url", base, "--header", "X-Secret=hush-hush-2", "--extra-body", `{"api_key": "in-the-body-4"}`,
				"--skip-tokenizer-init", "--random-input-len", "8", "--random-output-len", "4", "--num-prompts", "8", "--max-concurrency", "2", "--journal-texts", "--run-dir", "run")
			lead.Env = append(lead.Env, "OPENAI_API_KEY=sk-echo-key-1")
			err := lead.Run()
			if !fail && err != nil {
				t.Errorf("%v\n%s", err, &said)
			}
			mu.Lock()
			checkNoSecret(t, "what was printed", said.String())
			if strings.Contains(said.String(), "does not permit") {
				t.Errorf("a role lacks a right:\n%s", &said)
			}
			mu.Unlock()
			words := []string{"inferometer.ask.", "inferometer.who", "inferometer.status.", "$KV."}
			if !fail {
				words = append(words, "inferometer.journal.")
			}
			o.check(t, words...)
			checkFolder(t, dir)
			for _, secret := range secrets { // or nothing was tested
				if !strings.Contains(e.heard, secret) {
					t.Errorf("the server never heard %s; it was said\n%s", secret, &said)
				}
			}
		})
	}
}

// overhear runs a fleet's nats-server with one user more, who hears all.
func overhear(t *testing.T, folder string, port int) *overheard {
	t.Helper()
	path := filepath.Join(folder, "nats.conf")
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(config), "users: [", "users: [\n      { user: all, password: all }", 1)
	if err := os.WriteFile(path, []byte(more+fmt.Sprintf("\nlog_file: %q\ntrace: true\n", filepath.Join(folder, "nats.log"))), 0o600); err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	fleettest.StartConfig(t, folder, "nats.conf", address)
	c, err := nats.Connect("tls://"+address, nats.UserInfo("all", "all"), nats.RootCAs(filepath.Join(folder, "ca.pem")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	o := &overheard{all: map[string]*bytes.Buffer{}}
	if _, err = c.Subscribe(">", o.take); err == nil {
		err = c.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }
