package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/fleet/seal"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hist"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/sim"
	simrandom "github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/spec"
)

// NATS's client leaves a goroutine behind where a connection is closed before that goroutine has looked for the
// channel that tells it so: by then the channel is nil, and it waits for ever.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect"))
}

const version = "1.0.0+abc"

// startSim is a simulated server in this process.
func startSim(t *testing.T) string {
	t.Helper()
	cfg := sim.DefaultConfig()
	cfg.TTFT, cfg.ITL = simrandom.Constant(2*time.Millisecond), simrandom.Constant(time.Millisecond)
	srv, err := sim.New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("sim: %v", err)
		}
		srv.Close()
	})
	return "http://" + l.Addr().String()
}

// said collects what an agent says.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *said) has(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(strings.Join(s.lines, "\n"), part)
}

// process is an agent at work.
type process struct {
	*Agent
	said  *said
	drain chan struct{}
	end   func() // drains and waits
}

func startAgent(t *testing.T, url, state string, change func(*Agent)) *process {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{said: &said{}, drain: make(chan struct{})}
	p.Agent = &Agent{
		Bus: b, ID: NewID("host.example"), Name: "one", State: filepath.Join(state, "inferometer"), Version: version, Secrets: key, Say: p.said.say,
		Host: func() *bench.Host {
			return &bench.Host{Environment: spec.Environment{Release: "1", Lookup: os.LookupEnv}, Version: version}
		},
	}
	p.Allow, _ = ParseAllow([]string{"127.0.0.1"})
	if change != nil {
		change(p.Agent)
	}
	done := make(chan error, 1)
	go func() { done <- p.Run(context.Background(), p.drain) }()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the agent said:\n%s", strings.Join(p.said.lines, "\n"))
		}
	})
	p.end = sync.OnceFunc(func() {
		close(p.drain)
		if err := <-done; err != nil {
			t.Error(err)
		}
		b.Close()
	})
	t.Cleanup(p.end)
	return p
}

// leader is as much of one as the tests need.
type leader struct {
	*bus.Bus
	t        *testing.T
	run      string
	mu       sync.Mutex
	statuses []*message.Status
	news     chan struct{}
	journal  map[string][]byte
}

func startLeader(t *testing.T, url, run string) *leader {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Place{URL: url}, bus.Options{Name: "leader"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := b.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := &leader{Bus: b, t: t, run: run, news: make(chan struct{}, 1), journal: map[string][]byte{}}
	tell := func() {
		select {
		case l.news <- struct{}{}:
		default:
		}
	}
	stop, err := b.Statuses(run, func(s *message.Status) {
		l.hear(s)
		tell()
	})
	if err != nil {
		t.Fatal(err)
	}
	stopJournals, err := b.Journals(t.Context(), run, func(agent string, offset int64, piece []byte) {
		l.mu.Lock()
		if offset == int64(len(l.journal[agent])) {
			l.journal[agent] = append(l.journal[agent], piece...)
		} else if offset > int64(len(l.journal[agent])) {
			t.Errorf("a hole before %d", offset)
		}
		l.mu.Unlock()
		tell()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); stopJournals() })
	return l
}

// hear keeps a status. The store may have told of it, or of a later one, before the
// message came: the list stays in the order of the statuses' numbers.
func (l *leader) hear(s *message.Status) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := len(l.statuses)
	for at > 0 && l.statuses[at-1].Agent == s.Agent && l.statuses[at-1].Number >= s.Number {
		if at--; l.statuses[at].Number == s.Number {
			return
		}
	}
	l.statuses = slices.Insert(l.statuses, at, s)
}

// await waits for something that statuses and journals tell.
func (l *leader) await(what string, there func() bool) {
	l.t.Helper()
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		ok := there()
		l.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-l.news:
		case <-deadline:
			l.mu.Lock()
			defer l.mu.Unlock()
			var last *message.Status
			if len(l.statuses) > 0 {
				last = l.statuses[len(l.statuses)-1]
			}
			if last != nil {
				last.Live = nil
			}
			l.t.Fatalf("%s: never; the last status is %+v", what, last)
		}
	}
}

func (l *leader) awaitPhase(agent string, phases ...message.Phase) *message.Status {
	l.t.Helper()
	var found *message.Status
	quit := make(chan struct{})
	defer close(quit)
	go l.catchUp(agent, quit)
	l.await(fmt.Sprint(phases), func() bool {
		for _, s := range l.statuses {
			for _, p := range phases {
				if s.Agent == agent && s.Phase == p {
					found = s
				}
			}
		}
		return found != nil
	})
	return found
}

// catchUp asks for the last status now and then: one that was told before this side was
// connected again was heard by nobody but the store.
func (l *leader) catchUp(agent string, quit <-chan struct{}) {
	for {
		select {
		case <-quit:
			return
		case <-time.After(500 * time.Millisecond):
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		s, err := l.LastStatus(ctx, l.run, agent)
		cancel()
		if err != nil || s == nil {
			continue
		}
		l.hear(s)
		select {
		case l.news <- struct{}{}:
		default:
		}
	}
}

func (l *leader) ask(agent string, a *message.Ask) *message.Answer {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	answer, err := l.Ask(ctx, agent, a)
	if err != nil {
		l.t.Fatal(err)
	}
	return answer
}

// patience bounds waits for a condition: so long only on a machine that has hung.
const patience = 2 * time.Minute

// ahead is how far in the future a start lies: a busy machine needs some of it to ask.
const ahead = 2 * time.Second

// start starts an agent soon.
func (l *leader) start(agent, run, nonce string) {
	l.t.Helper()
	if a := l.ask(agent, &message.Ask{Kind: message.Start, Run: run, Nonce: nonce, At: time.Now().Add(ahead).UnixNano()}); a.Error != "" {
		l.t.Fatal(a.Error)
	}
}

// spec is a run of n requests, at a rate.
func asked(url string, n int, rate float64) *spec.Spec {
	text := fmt.Sprintf(`{"version":1,"server":{"urls":[%q],"model":"sim","request_id_prefix":"fleet-","skip_tokenizer_init":true},"dataset":{"name":"random","input_len":8,"output_len":4},"pace":{"name":"poisson","rate":%g},"load":{"num_prompts":%d}}`, url, rate, n)
	if rate == 0 {
		text = fmt.Sprintf(`{"version":1,"server":{"urls":[%q],"model":"sim","request_id_prefix":"fleet-","skip_tokenizer_init":true},"dataset":{"name":"random","input_len":8,"output_len":4},"load":{"num_prompts":%d,"max_concurrency":4}}`, url, n)
	}
	got, err := spec.Decode(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return got
}

func offer(run string, s *spec.Spec) *message.Ask {
	return &message.Ask{Kind: message.Offer, Run: run, Spec: s.Encode(), Version: version, Lease: int64(time.Minute)}
}

// records are the indices of measured requests of a journal, each once.
func records(t *testing.T, b []byte) (indices map[int]journal.Outcome, end *journal.End) {
	t.Helper()
	path := filepath.Join(t.TempDir(), journal.FileName)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	indices = map[int]journal.Outcome{}
	for {
		q, err := r.Next()
		if err != nil {
			return indices, r.End()
		}
		if q.Warmup {
			continue
		}
		if _, twice := indices[q.Index]; twice {
			t.Errorf("the request %d is there twice", q.Index)
		}
		indices[q.Index] = q.Outcome
	}
}

// From the offer to the end: the journal arrives byte for byte, the share's requests are
// in it and no others, and it is forgotten.
func TestRealRun(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r1")
	p := startAgent(t, server.URL, t.TempDir(), func(a *Agent) { a.Labels = map[string]string{"region": "eu"} })
	var hello message.Hello
	for deadline := time.Now().Add(patience); time.Now().Before(deadline) && hello.Agent == ""; {
		if all, err := l.Who(t.Context(), 5*time.Second, 1); err != nil {
			t.Fatal(err)
		} else if len(all) == 1 {
			hello = all[0]
		}
	}
	if hello.Agent != p.ID || hello.Labels["region"] != "eu" || hello.CPUs < 1 || hello.Memory == 0 || hello.Address != "127.0.0.1" || len(hello.Key) == 0 || hello.Run != "" {
		t.Errorf("%+v", hello)
	}
	s := asked(url, 400, 0)
	s.Share = share.Equal(1, 2)
	asked := offer("r1", s)
	accepted := l.ask(p.ID, asked)
	if accepted.Error != "" || accepted.Nonce == "" {
		t.Fatalf("%+v", accepted)
	}
	if again := l.ask(p.ID, asked); again.Nonce != accepted.Nonce {
		t.Errorf("the same offer again: %+v", again)
	}
	if a := l.ask(p.ID, offer("r2", s)); !strings.Contains(a.Error, "busy with the run r1") {
		t.Errorf("another run: %+v", a)
	}
	l.awaitPhase(p.ID, message.Ready)
	if a := l.ask(p.ID, &message.Ask{Kind: message.Start, Run: "r1", Nonce: "other", At: time.Now().UnixNano()}); !strings.Contains(a.Error, "nonce") {
		t.Errorf("another nonce: %+v", a)
	}
	if a := l.ask(p.ID, &message.Ask{Kind: message.Start, Run: "r1", Nonce: accepted.Nonce, At: time.Now().Add(-3 * time.Second).UnixNano()}); !strings.Contains(a.Error, "past") {
		t.Errorf("too late: %+v", a)
	}
	at := time.Now().Add(ahead)
	start := &message.Ask{Kind: message.Start, Run: "r1", Nonce: accepted.Nonce, At: at.UnixNano()}
	if a := l.ask(p.ID, start); a.Error != "" {
		t.Fatal(a.Error)
	}
	if a := l.ask(p.ID, start); !strings.Contains(a.Error, "good once") || !p.said.has("refused a start") {
		t.Errorf("the start again: %+v", a)
	}
	ended := l.awaitPhase(p.ID, message.Ended, message.Failed)
	if ended.Phase != message.Ended || ended.Sent != 200 || ended.Done != 200 || ended.Planned != 200 || ended.Reserved != 200 || ended.Tokens != 800 {
		t.Errorf("%+v", ended)
	}
	own, err := os.ReadFile(filepath.Join(p.runs(), "r1."+p.ID, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	l.await("the journal", func() bool { return len(l.journal[p.ID]) == len(own) })
	if sum, _ := journal.Digest(filepath.Join(p.runs(), "r1."+p.ID, journal.FileName)); !bytes.Equal(l.journal[p.ID], own) || ended.Journal != int64(len(own)) || ended.SHA256 != sum {
		t.Error("another journal arrived")
	}
	indices, end := records(t, own)
	if len(indices) != 200 || end == nil || end.Sent != 200 {
		t.Errorf("%d records, end %+v", len(indices), end)
	}
	for i := range indices {
		if i%2 != 1 {
			t.Errorf("%d is not of this share", i)
		}
	}
	var ttft hist.Histogram
	if err := json.Unmarshal(ended.Live["ttft"], &ttft); err != nil || ttft.Count() != 200 || ttft.Moments().Min < 2e6 {
		t.Errorf("%v, %d", err, ttft.Count())
	}
	sent := 0
	for _, s := range l.statuses {
		if s.Sent > s.Reserved {
			t.Errorf("%d sent, %d reserved", s.Sent, s.Reserved)
		}
		if s.Sent < sent {
			t.Errorf("%d sent after %d", s.Sent, sent)
		}
		sent = s.Sent
	}
	if a := l.ask(p.ID, offer("r1", s)); !strings.Contains(a.Error, "sent twice") {
		t.Errorf("the same run once more: %+v", a)
	}
	if a := l.ask(p.ID, &message.Ask{Kind: message.Forget, Run: "r1", SHA256: ended.SHA256}); a.Error != "" {
		t.Error(a.Error)
	}
	if _, err := os.Stat(filepath.Join(p.runs(), "r1."+p.ID)); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}

// The load begins at the instant that was given.
func TestRealInstant(t *testing.T) {
	t.Parallel()
	server, url := fleettest.Start(t), startSim(t)
	l := startLeader(t, server.URL, "r")
	p := startAgent(t, server.URL, t.TempDir(), nil)
	nonce := l.offered(p, offer("r", asked(url, 3, 0)))
	l.awaitPhase(p.ID, message.Ready)
	at := time.Now().Add(ahead)
	if a := l.ask(p.ID, &message.Ask{Kind: message.Start, Run: "r", Nonce: nonce, At: at.UnixNano()}); a.Error != "" {
		t.Fatal(a.Error)
	}
	l.awaitPhase(p.ID, message.Ended, message.Failed)
	r, err := journal.Open(filepath.Join(p.runs(), "r."+p.ID, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if off := time.Unix(0, r.Run().StartUnixNs).Sub(at); off < 0 || off > patience { // a busy machine takes its time
		t.Errorf("it began %v after the instant", off)
	}
}

// offered offers when the agent listens, and gives its nonce.
func (l *leader) offered(p *process, ask *message.Ask) string {
	l.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ctx, cancel := context.WithTimeout(l.t.Context(), patience)
		a, err := l.Ask(ctx, p.ID, ask)
		cancel()
		if err == bus.ErrGone && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond) // it subscribes in a goroutine of its own
			continue
		}
		if err != nil || a.Error != "" {
			l.t.Fatalf("%v, %+v", err, a)
		}
		return a.Nonce
	}
}
