package bus

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

func open(t *testing.T, url string) *Bus {
	t.Helper()
	b, err := Open(t.Context(), Place{URL: url}, Options{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// What one asks, the other answers; who is not there is said so at once.
func TestRealAsk(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	leader, agent := open(t, server.URL), open(t, server.URL)
	if all, err := leader.Who(t.Context(), time.Minute, 1); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	stop, err := agent.Serve("a-1", func() message.Hello { return message.Hello{Protocol: message.Protocol, Agent: "a-1", Name: "one"} },
		func(a *message.Ask, _ time.Time) *message.Answer {
			return &message.Answer{Nonce: string(a.Kind) + a.Run}
		})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	all, err := leader.Who(t.Context(), time.Minute, 1)
	if err != nil || len(all) != 1 || all[0].Name != "one" {
		t.Errorf("%v, %v", all, err)
	}
	answer, err := leader.Ask(t.Context(), "a-1", &message.Ask{Kind: message.Offer, Run: "r"})
	if err != nil || answer.Nonce != "offerr" || answer.Received == 0 || answer.Answered < answer.Received {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := leader.Ask(t.Context(), "a-2", &message.Ask{Kind: message.Clock}); err != ErrGone {
		t.Errorf("%v", err)
	}
}

// Statuses, journals, values and files survive a server that is killed and comes back.
func TestRealStoresSurviveTheServer(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	leader, agent := open(t, server.URL), open(t, server.URL)
	if err := leader.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got bytes.Buffer
	arrived := make(chan int, 100)
	stop, err := leader.Journals(t.Context(), "r", func(a string, offset int64, piece []byte) {
		mu.Lock()
		defer mu.Unlock()
		if a == "a" && offset == int64(got.Len()) {
			got.Write(piece)
			arrived <- got.Len()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	appended := func(offset int64, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		for agent.AppendJournal(ctx, "r", "a", offset, []byte(text)) != nil {
			if ctx.Err() != nil {
				t.Fatal(ctx.Err())
			}
		}
	}
	appended(0, "one")
	appended(0, "one") // a piece whose acknowledgement was lost
	if err := leader.Keep(t.Context(), "r", []byte("plan")); err != nil {
		t.Fatal(err)
	}
	if err := agent.Tell(&message.Status{Run: "r", Agent: "a", Number: 3, Phase: message.Running, Sent: 5}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "data.jsonl")
	content := make([]byte, 3<<20)
	_, _ = rand.Read(content)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := leader.PutFile(t.Context(), path, "dataset")
	if err != nil || file.Name != "data.jsonl" || file.Bytes != 3<<20 {
		t.Fatalf("%+v, %v", file, err)
	}
	agent.Close() // what was told is there
	server.Kill()
	server.Restart()
	agent = open(t, server.URL)
	appended(3, "two")
	for n := range arrived {
		if n == 6 {
			break
		}
	}
	if got.String() != "onetwo" {
		t.Errorf("%q", got.String())
	}
	fresh := open(t, server.URL)
	if value, err := fresh.Kept(t.Context(), "r"); err != nil || string(value) != "plan" {
		t.Errorf("%q, %v", value, err)
	}
	if s, err := fresh.LastStatus(t.Context(), "r", "a"); err != nil || s == nil || s.Sent != 5 {
		t.Errorf("%+v, %v", s, err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := fresh.GetFile(t.Context(), file, copied); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(copied); !bytes.Equal(b, content) {
		t.Error("another file came")
	}
	file.Bytes--
	if err := fresh.GetFile(t.Context(), file, copied+"2"); err == nil {
		t.Error("a file of another size was taken")
	}
	if err := fresh.Drop(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	if runs, err := fresh.Runs(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
	if s, err := fresh.LastStatus(t.Context(), "r", "a"); err != nil || s != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// A certificate of another host is told from one of another authority.
func TestExplain(t *testing.T) {
	err := Place{URL: "tls://nats.example:4222"}.explain(fmt.Errorf("x: %w", x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{"other.example"}}, Host: "nats.example"}))
	if !strings.Contains(err.Error(), "is for other hosts") || !strings.Contains(err.Error(), "other.example") {
		t.Error(err)
	}
}

// An end of our own is no trouble.
func TestRealCloseIsNoTrouble(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	trouble := make(chan error, 10)
	b, err := Open(t.Context(), Place{URL: server.URL}, Options{Trouble: func(err error) { trouble <- err }})
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	b.conn.SetClosedHandler(func(*nats.Conn) { close(closed) }) // it is told last
	b.Close()
	<-closed
	if len(trouble) > 0 {
		t.Error(<-trouble)
	}
	other, err := Open(t.Context(), Place{URL: server.URL}, Options{Trouble: func(err error) { trouble <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	server.Kill()
	if err := <-trouble; err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("%v", err)
	}
	server.Restart()
	if err := <-trouble; err != nil {
		t.Errorf("%v", err)
	}
}

func TestPlaces(t *testing.T) {
	for text, said := range map[string]string{
		"nats://10.0.0.1:4222":       "needs TLS",
		"tls://nats.example:4222":    "user and a password",
		"http://127.0.0.1:4222":      "no address",
		"nowhere.json":               "neither an address",
		t.TempDir():                  "leader.json, agent.json or viewer.json",
		"bus_test.go":                "no file of inferometer fleet init",
		"nats://127.0.0.1:4222":      "",
		"tls://u:p@nats.example:422": "",
	} {
		p, err := ReadPlace(text)
		if said == "" && err != nil || said != "" && (err == nil || !strings.Contains(err.Error(), said)) {
			t.Errorf("%s: %v", text, err)
		}
		if strings.Contains(p.String(), "p@") {
			t.Errorf("%s shows a password", p)
		}
	}
	if _, err := Open(t.Context(), Place{URL: "nats://127.0.0.1:1"}, Options{}); err == nil || !strings.Contains(err.Error(), "no NATS answers") {
		t.Errorf("%v", err)
	}
}

// A server that comes back without its stores is noticed, and all pieces of a journal can be
// read once more.
func TestRealPrepareAgain(t *testing.T) {
	t.Parallel()
	server := fleettest.Start(t)
	b, err := Open(t.Context(), Place{URL: server.URL}, Options{Name: "leader"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	again := func(want bool) {
		t.Helper()
		for {
			anew, err := b.PrepareAgain(t.Context())
			if err == nil {
				if anew != want {
					t.Errorf("the stores are new: %v", anew)
				}
				return
			}
			time.Sleep(10 * time.Millisecond) // the connection comes back by itself
		}
	}
	again(false)
	again(false)
	for i, piece := range []string{"abc", "de", "f"} {
		if err := b.AppendJournal(t.Context(), "r", "a", int64(3*i), []byte(piece)); err != nil {
			t.Fatal(err)
		}
		if err := b.AppendJournal(t.Context(), "r", "other", 0, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (all string) {
		t.Helper()
		if err := b.Pieces(t.Context(), "r", "a", func(offset int64, piece []byte) bool {
			all += fmt.Sprintf("%d%s ", offset, piece)
			return true
		}); err != nil {
			t.Error(err)
		}
		return all
	}
	if got := read(); got != "0abc 3de 6f " {
		t.Errorf("%q", got)
	}
	server.Kill()
	server.RestartEmpty()
	again(true)
	if any, err := b.HasJournals(t.Context(), "r"); any || err != nil || read() != "" || !b.SameStores(t.Context()) {
		t.Errorf("%v, %v, %q", any, err, read())
	}
}
