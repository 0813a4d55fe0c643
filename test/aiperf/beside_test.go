package aiperf

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/test/realserver"
)

const bustID = "bench-1"

// Our program replays the traces beside the kept runs of AIPerf: the same requests in warm-up and measurement, with the
// same messages, each as long after what it waits for as AIPerf's.
func TestRealBeside(t *testing.T) {
	program := realserver.Build(t)
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			if testing.Short() && r.name != "wrap" {
				t.Skip("one of the runs is enough in a short test")
			}
			t.Parallel()
			ours := r.ours(t, program)
			r.beside(t, readReplay(t, r.name), ours)
		})
	}
}

// tapped is what a request of ours said on its way to the simulator.
type tapped struct {
	roles, marker, session string
	max                    int
	ignore                 bool
}

// tap stands between us and the simulator, and keeps what a journal doesn't: the messages' roles and the marker.
type tap struct {
	mu   sync.Mutex
	seen map[string]tapped
}

func (k *tap) serve(t *testing.T, base string) string {
	t.Helper()
	k.seen = map[string]tapped{}
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		var sent record
		if json.Unmarshal(body, &sent.Payload) == nil && len(sent.Payload.Messages) > 0 {
			one := tapped{session: q.Header.Get("X-Session-Id"), max: sent.Payload.Max, ignore: sent.Payload.Ignore}
			for _, m := range sent.Payload.Messages {
				one.roles += m.Role[:1]
				if m.Role == "user" && one.marker == "" {
					one.marker = m.Content[:min(len(m.Content), len("[rid:012345678901]\n\n"))]
				}
			}
			k.mu.Lock()
			k.seen[q.Header.Get("X-Request-Id")] = one
			k.mu.Unlock()
		}
		proxy.ServeHTTP(w, q)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// ours lets our program do the run.
func (r run) ours(t *testing.T, program string) replay {
	t.Helper()
	dir := t.TempDir()
	truthFile := filepath.Join(dir, "truth.jsonl")
	server := r.start(t, program, truthFile)
	var k tap
	folder := r.folder(t)
	out := filepath.Join(dir, "out")
	cmd := exec.CommandContext(t.Context(), program, "bench", "serve", "--backend", "openai-chat", "--base-url", k.serve(t, server.Base),
		"--model", "sim", "--tokenizer", tokenizer(t), "--dataset-name", "trace", "--dataset-path", folder,
		"--trace-preset", "agentx", "--trace-start-min", fmt.Sprint(r.from), "--trace-start-max", fmt.Sprint(r.to),
		"--trace-bust-id", bustID, "--trace-grace", "2s", "--max-conversations", strconv.Itoa(r.lanes),
		"--duration", strconv.Itoa(r.seconds)+"s", "--seed", "42", "-o", out)
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() == 2) {
		t.Fatalf("%v\n%s", err, said)
	}
	server.Kill()
	return r.readOurs(t, filepath.Join(out, "journal.jsonl.zst"), truthFile, &k)
}

// played is a trace as we read it, with the turns of each branch.
type played struct {
	*tree.Tree
	of    [][]int // by branch
	facts facts
}

func (r run) trees(t *testing.T) map[string]played {
	t.Helper()
	out := map[string]played{}
	files, err := filepath.Glob(filepath.Join(r.folder(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		one := played{Tree: readTree(t, path).Spawned(), facts: readFacts(t, filepath.Join("testdata", "facts", filepath.Base(path)))}
		one.of = make([][]int, len(one.Branches))
		for i := range one.Turns {
			b := one.Turns[i].Branch
			one.of[b] = append(one.of[b], i)
		}
		out[one.ID] = one
	}
	return out
}

// star is where AIPerf begins a trace on a lane, by the formula of its source.
func (p played) star(r run, lane int) time.Duration {
	length := 0.0
	for _, turn := range p.Turns {
		length = max(length, float64(turn.At))
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "42:%s:%d", p.ID, lane))
	low, high := r.from*length, r.to*length
	return time.Duration(low + (high-low)*numpy.NewGenerator(binary.BigEndian.Uint64(sum[:8])).Random())
}

// readOurs reads our journal, and what the simulator saw.
func (r run) readOurs(t *testing.T, path, truthFile string, k *tap) replay {
	t.Helper()
	in, err := journal.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	talks := map[int]*journal.Conversation{}
	in.OnConversation(func(c *journal.Conversation) { talks[c.Number] = c })
	var requests []journal.Request
	for {
		q, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		q.Events = journal.Events{}
		requests = append(requests, *q)
	}
	out := replay{Lanes: r.lanes, Seconds: r.seconds}
	for _, s := range in.End().Skips {
		if s.At >= 0 {
			out.Jumps++
			out.Skipped += float64(s.By) / 1e9
		}
	}
	trees := r.trees(t)
	seen := map[string]truth{}
	for _, line := range lines(t, truthFile) {
		var one truth
		unmarshal(t, line, &one)
		seen[one.ID] = one
	}
	first := int64(math.MaxInt64)
	for _, q := range requests {
		if !q.Warmup {
			first = min(first, q.Released)
		}
	}
	sessions := map[string]string{}
	for _, q := range requests {
		c := talks[q.Conversation]
		if c == nil {
			t.Fatalf("request %s is of no conversation", q.ID)
		}
		p := trees[c.Trace]
		tapped := k.seen[q.ID]
		place, ok := placeOf(tapped.marker, bustID, c.Trace, r.lanes)
		if !ok {
			t.Fatalf("no play and no lane of %s has the marker %q", c.Trace, tapped.marker)
		}
		if place[0] != c.Play-1 {
			t.Errorf("play %d of %s has the marker of play %d", c.Play, c.Trace, place[0]+1)
		}
		if !tapped.ignore {
			t.Errorf("%s: ignore_eos is not set", q.ID)
		}
		branch := fmt.Sprint(q.Conversation, " ", q.Branch)
		if was, ok := sessions[tapped.session]; ok && was != branch {
			t.Errorf("X-Session-ID %s is of two branches", tapped.session)
		}
		sessions[tapped.session] = branch
		star := time.Duration(-1)
		if c.Before > 0 {
			star = p.star(r, place[1])
		}
		s := sent{
			Warm: q.Warmup, Trace: c.Trace, Turn: p.turn(t, c, q, star), Play: place[0], Lane: place[1], At: ms(q.Released - first), Due: ms(q.Due - first), End: ms(q.End - first),
			Max: tapped.max, Roles: tapped.roles, Prompt: seen[q.ID].Prompt, Cached: seen[q.ID].Cached, Over: q.Overflow(),
		}
		if q.Branch > 0 {
			s.Branch = c.Branches[q.Branch].Name
		}
		if q.Status != http.StatusOK {
			s.Status = q.Status
		}
		p.sameHits(t, s, q)
		out.Sent = append(out.Sent, s)
	}
	slices.SortFunc(out.Sent, func(a, b sent) int { return cmp.Compare(a.At, b.At) })
	return out
}

// sameHits holds the blocks of a prompt that an unbounded cache would have found against AIPerf's count.
func (p played) sameHits(t *testing.T, s sent, q journal.Request) {
	t.Helper()
	want := p.fact(s)
	if want == nil {
		t.Fatalf("AIPerf has no %s", s.key())
	}
	if (q.Planned != 64*want.Hit || q.PlannedOf != 64*want.Of) && !loses(s) {
		t.Errorf("%s: %d of %d tokens should be found, and by AIPerf %d of %d blocks", s.key(), q.Planned, q.PlannedOf, want.Hit, want.Of)
	}
}

// fact is what AIPerf says of a turn.
func (p played) fact(s sent) *factTurn {
	for _, b := range p.facts.Branches {
		_, name, _ := strings.Cut(b.ID, "::")
		if rename(name) == s.Branch {
			return b.Turns[s.Turn]
		}
	}
	return nil
}

// turn is the place of a request on its branch. A journal counts the turns of a conversation that were planned: those
// from the star on. A primer is the last turn of its branch before it.
func (p played) turn(t *testing.T, c *journal.Conversation, q journal.Request, star time.Duration) int {
	t.Helper()
	if q.Warmup {
		n := 0
		for _, i := range p.of[q.Branch] {
			if p.Turns[i].At < star {
				n++
			}
		}
		return n - 1
	}
	n := 0
	for i, turn := range p.Turns {
		if turn.At < star {
			continue
		}
		if n++; n == q.Turn {
			if turn.Branch != q.Branch {
				t.Fatalf("turn %d of %s is of branch %d, and was sent as of %d", q.Turn, c.Trace, turn.Branch, q.Branch)
			}
			return slices.Index(p.of[q.Branch], i)
		}
	}
	t.Fatalf("%s has no turn %d from %v on", c.Trace, q.Turn, star)
	return 0
}

// gaps are how long after what it waits for each request was due, in milliseconds, where all of that was sent in the
// measurement too. Of AIPerf's it is when they were sent.
func gaps(list []sent, trees map[string]played) map[string]float64 {
	of := map[string]sent{}
	for _, s := range list {
		if !s.Warm {
			of[s.key()] = s
		}
	}
	out := map[string]float64{}
	for key, s := range of {
		p := trees[s.Trace]
		i := p.of[p.branch(s.Branch)][s.Turn]
		from, known := math.Inf(-1), true
		for _, parent := range p.Turns[i].Parents {
			b := p.Turns[parent.Turn].Branch
			w := sent{Trace: s.Trace, Turn: slices.Index(p.of[b], parent.Turn), Play: s.Play}
			if b > 0 {
				w.Branch = p.Branches[b].Name
			}
			one, ok := of[w.key()]
			switch {
			case !ok:
				known = false
			case parent.Sent:
				from = max(from, one.At)
			default:
				from = max(from, one.End)
			}
		}
		if known && len(p.Turns[i].Parents) > 0 {
			out[key] = s.Due - from
		}
	}
	return out
}

func (p played) branch(name string) int {
	if name == "" {
		return 0
	}
	return slices.IndexFunc(p.Branches, func(b tree.Branch) bool { return b.Name == name })
}

// rename makes our name of a branch from AIPerf's: a worker of a group is a found agent here.
func rename(name string) string {
	if strings.HasPrefix(name, "wg:") {
		return "fa:" + name[len("wg:000_"):]
	}
	return name
}

// beside holds our run against AIPerf's.
func (r run) beside(t *testing.T, theirs, ours replay) {
	t.Helper()
	trees := r.trees(t)
	for i := range theirs.Sent {
		theirs.Sent[i].Branch = rename(theirs.Sent[i].Branch)
	}
	until := float64(r.seconds)*1000 - 3000
	mine, other := map[string]sent{}, map[string]sent{}
	for _, s := range ours.Sent {
		mine[s.key()] = s
	}
	for _, s := range theirs.Sent {
		other[s.key()] = s
	}
	both := 0
	var found hits
	for _, w := range theirs.Sent {
		g, ok := mine[w.key()]
		switch {
		case ok:
			both++
		case w.At < until:
			t.Errorf("only AIPerf sends %s, at %g ms", w.key(), w.At)
		}
		if !ok {
			continue
		}
		if g.Max != w.Max || g.Roles != w.Roles && !loses(w) || g.Over != w.Over || g.Status != w.Status {
			t.Errorf("%s: ours is %+v, and AIPerf's %+v", w.key(), g, w)
		}
		// AIPerf makes its prompts of tokens, and where two of its texts meet they are other tokens. The simulator
		// doesn't count a prompt that it refuses, nor tell one that is not answered when it ends.
		if d := g.Prompt - w.Prompt; (d < -drift || d > drift) && g.Prompt > 0 && w.Prompt > 0 && !loses(w) {
			t.Errorf("%s: a prompt of %d tokens, and AIPerf's of %d", w.key(), g.Prompt, w.Prompt)
		}
		found.add(g, w)
		if w.Play == 0 && g.Lane != w.Lane {
			t.Errorf("%s: on lane %d, and AIPerf's on %d", w.key(), g.Lane, w.Lane)
		}
	}
	for _, g := range ours.Sent {
		if _, ok := other[g.key()]; !ok && g.At < until {
			t.Errorf("only we send %s, at %g ms", g.key(), g.At)
		}
	}

	a, b := gaps(theirs.Sent, trees), gaps(ours.Sent, trees)
	var off []float64
	apart, plays := map[string]int{}, map[string]int{} // by turn
	for key, gap := range b {
		their, ok := a[key]
		if !ok {
			continue
		}
		d := math.Abs(their - gap)
		off = append(off, d)
		turn, _, _ := strings.Cut(key, " play ")
		if plays[turn]++; d > 100 {
			t.Logf("%s: %.1f ms after what it waits for, and AIPerf's %.1f ms", key, gap, their)
			apart[turn]++
		}
	}
	// A machine that stands still for a moment makes one play another; a rule that differs makes all of them so.
	for turn, n := range apart {
		if 2*n > plays[turn] {
			t.Errorf("%s: %d of %d plays have another gap than AIPerf's", turn, n, plays[turn])
		}
	}
	if len(off) == 0 {
		t.Fatal("no request was sent by both")
	}
	slices.Sort(off)
	near, _ := slices.BinarySearch(off, 20)
	t.Logf("%s: %d requests of ours, %d of AIPerf's, %d of both; the gaps of %d differ by %.1f ms (median), %.1f (p99); %.1f %% by less than 20 ms",
		r.name, len(ours.Sent), len(theirs.Sent), both, len(off), off[len(off)/2], off[len(off)*99/100], 100*float64(near)/float64(len(off)))
	t.Logf("%d jumps of %.1f s, and AIPerf's %d of %.1f s", ours.Jumps, ours.Skipped, theirs.Jumps, theirs.Skipped)
	if ours.Jumps != theirs.Jumps || math.Abs(ours.Skipped-theirs.Skipped) > 0.1 {
		t.Error("the idle cap did other things")
	}
	if found.ours+found.theirs > 0 {
		a, b := found.rates()
		t.Logf("the server found %.2f %% of our prompts in its cache, and %.2f %% of AIPerf's", a, b)
		if math.Abs(a-b) > 1 {
			t.Error("that is more than a point apart")
		}
	}
}

// drift bounds how far AIPerf's prompts may be from what they should be, in tokens.
const drift = 10

// loses says whether AIPerf's prompt lacks tokens, or has some twice: it takes the id of a last block that is not full, where
// the next prompt has it too, for a full block that it has sent.
func loses(s sent) bool { return s.Trace == "i_ids" }

// hits are tokens that the server found in its cache.
type hits struct{ ours, theirs, ourPrompts, theirPrompts int }

func (h *hits) add(ours, theirs sent) {
	if loses(ours) || ours.Over {
		return
	}
	h.ours, h.ourPrompts = h.ours+ours.Cached, h.ourPrompts+ours.Prompt
	h.theirs, h.theirPrompts = h.theirs+theirs.Cached, h.theirPrompts+theirs.Prompt
}

func (h *hits) rates() (ours, theirs float64) {
	return 100 * float64(h.ours) / float64(h.ourPrompts), 100 * float64(h.theirs) / float64(h.theirPrompts)
}
