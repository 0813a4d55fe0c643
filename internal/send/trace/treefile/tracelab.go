package treefile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var tracelab = &Format{
	Name: "tracelab", Doc: "TraceLab's coding agents (JSON lines): one round a row; times are dates, blocks of 64 tokens are made from prefix_tokens.", Timed: true,
	looks: func(head []byte) bool {
		return hasKeys(head, "session_id", "round_index", "prefix_tokens", "newly_append_tokens", "timing_events")
	},
	group: func() grouper { return &tracelabSessions{sessions: map[string]*tracelabSession{}} },
	build: buildTraceLab,
}

// tracelabBlock is the size of the blocks that are made.
const tracelabBlock = 64

// minSpawn is the shortest call of a tool that may have been a sub-agent: shorter ones are errors.
const minSpawn = 10_000 // ms

type tracelabRow struct {
	Provider  string  `json:"provider"`
	User      string  `json:"user"`
	Project   string  `json:"project"`
	Session   string  `json:"session_id"`
	Round     int     `json:"round_index"`
	Model     string  `json:"model"`
	Input     float64 `json:"input_tokens_total"`
	Prefix    float64 `json:"prefix_tokens"`
	Output    float64 `json:"output_tokens"`
	Reasoning float64 `json:"reasoning_output_tokens"`
	Events    []struct {
		Type string `json:"event_type"`
		Time string `json:"timestamp"`
	} `json:"timing_events"`
	Tools []struct {
		Name    string   `json:"tool_name"`
		Emitted string   `json:"emitted_at"`
		Result  string   `json:"result_at"`
		Took    *float64 `json:"tool_wall_latency_ms"`
	} `json:"tools"`
}

// tracelabSession is what is known of a session: when it was, and when its agent may have waited for another.
type tracelabSession struct {
	id       string
	owner    [2]string // user and project
	codex    bool
	values   []int
	rounds   int // with times
	from, to time.Time
	spawned  time.Time // the first spawn_agent
	waited   time.Time // the last wait_agent's end
	windows  []window
	parent   *tracelabSession
	call     window // of the parent, in which it ran
}

// window is a time in which a sub-agent may have run.
type window struct{ from, to time.Time }

func (w window) length() time.Duration { return w.to.Sub(w.from) }

// tracelabSessions groups rows by session, and the sessions of sub-agents with that of their parent. The rows
// do not say whose they are: a session is a sub-agent's if all of it lies in the time of one call of another's.
type tracelabSessions struct {
	sessions map[string]*tracelabSession
	order    []*tracelabSession
}

func (g *tracelabSessions) add(n int, value []byte) error {
	var r tracelabRow
	if err := json.Unmarshal(value, &r); err != nil {
		return err
	}
	if r.Session == "" {
		return nil
	}
	return g.row(n, &r)
}

func (g *tracelabSessions) row(n int, r *tracelabRow) error {
	s := g.sessions[r.Session]
	if s == nil {
		s = &tracelabSession{id: r.Session, owner: [2]string{r.User, r.Project}, codex: r.Provider == "codex"}
		g.sessions[r.Session] = s
		g.order = append(g.order, s)
	}
	s.values = append(s.values, n)
	if at, _ := r.time(); !at.IsZero() {
		s.rounds++
	}
	for _, e := range r.Events {
		if err := s.saw(e.Time); err != nil {
			return err
		}
	}
	for _, t := range r.Tools {
		for _, text := range []string{t.Emitted, t.Result} {
			if err := s.saw(text); err != nil {
				return err
			}
		}
		from, _ := date(t.Emitted)
		to, _ := date(t.Result)
		switch {
		case s.codex && t.Name == "spawn_agent" && !from.IsZero() && (s.spawned.IsZero() || from.Before(s.spawned)):
			s.spawned = from
		case s.codex && t.Name == "wait_agent" && to.After(s.waited):
			s.waited = to
		case !s.codex && (t.Name == "Agent" || t.Name == "Task") && t.Took != nil && *t.Took >= minSpawn && !from.IsZero() && !to.IsZero():
			s.windows = append(s.windows, window{from, to})
		}
	}
	return nil
}

// saw extends the time of a session.
func (s *tracelabSession) saw(text string) error {
	if text == "" {
		return nil
	}
	at, err := date(text)
	if err != nil {
		return err
	}
	if s.from.IsZero() || at.Before(s.from) {
		s.from = at
	}
	if at.After(s.to) {
		s.to = at
	}
	return nil
}

// link finds the parent of each session: of the times that hold all of it, the shortest.
func (g *tracelabSessions) link() {
	type candidate struct {
		window
		of *tracelabSession
	}
	byOwner := map[[2]string][]candidate{}
	for _, s := range g.order {
		if !s.spawned.IsZero() && s.waited.After(s.spawned) {
			s.windows = []window{{s.spawned, s.waited}}
		}
		for _, w := range s.windows {
			if s.rounds > 0 {
				byOwner[s.owner] = append(byOwner[s.owner], candidate{w, s})
			}
		}
	}
	for _, list := range byOwner { // so that the first that holds a session is the shortest
		slices.SortStableFunc(list, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(a.length(), b.length()), a.from.Compare(b.from), cmp.Compare(a.of.id, b.of.id))
		})
	}
	for _, s := range g.order {
		for _, c := range byOwner[s.owner] {
			if c.of != s && !s.from.IsZero() && !s.from.Before(c.from) && !s.to.After(c.to) {
				s.parent, s.call = c.of, c.window
				break
			}
		}
	}
}

// zero is the first moment of all sessions.
func (g *tracelabSessions) zero() (first time.Time) {
	for _, s := range g.order {
		if first.IsZero() || !s.from.IsZero() && s.from.Before(first) {
			first = s.from
		}
	}
	return first
}

func (g *tracelabSessions) groups() ([]group, error) {
	g.link()
	var roots []*tracelabSession
	of := map[*tracelabSession][]int{}
	for _, s := range g.order {
		// A sub-agent's sub-agent is a tree of its own, as AIPerf has it: two levels of a guess are too many.
		if s.parent == nil || s.parent.parent != nil {
			roots = append(roots, s)
			of[s] = append(slices.Clone(s.values), of[s]...)
			continue
		}
		of[s.parent] = append(of[s.parent], s.values...)
	}
	var all []group
	for _, s := range roots {
		if s.rounds > 0 { // else there is nothing to play
			all = append(all, group{values: of[s]})
		}
	}
	return all, nil
}

// tracelabTurn is a round with its time.
type tracelabTurn struct {
	*tracelabRow
	at   time.Time
	took time.Duration
}

func buildTraceLab(m material) (*tree.Tree, error) {
	g := &tracelabSessions{sessions: map[string]*tracelabSession{}}
	rounds := map[string][]tracelabTurn{}
	for i, raw := range m.values {
		var r tracelabRow
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		if err := g.row(i, &r); err != nil {
			return nil, err
		}
		if at, took := r.time(); !at.IsZero() {
			rounds[r.Session] = append(rounds[r.Session], tracelabTurn{&r, at, took})
		}
	}
	g.link()
	root := g.order[0]
	made := tree.Recording{ID: outside.Word(root.id), Block: tracelabBlock}
	blocks := &minter{next: 1}
	zero := m.zero
	for _, s := range g.order {
		list := rounds[s.id]
		slices.SortStableFunc(list, func(x, y tracelabTurn) int {
			return cmp.Or(x.at.Compare(y.at), cmp.Compare(x.Round, y.Round))
		})
		if s == root && zero.IsZero() {
			zero = list[0].at
		}
		requests, err := blocks.requests(list, zero)
		if err != nil {
			return nil, err
		}
		if s == root {
			for _, r := range requests {
				made.Entries = append(made.Entries, tree.Entry{Request: r})
			}
			continue
		}
		made.Entries = append(made.Entries, tree.Entry{
			Request: tree.Request{At: s.call.from.Sub(zero)},
			Sub:     &tree.Sub{Name: outside.Word(s.id), Kind: tree.Subagent, Took: s.call.length(), Requests: requests},
		})
	}
	return tree.Build(made, m.split)
}

// minter makes ids of blocks that no other prompt of the tree has.
type minter struct{ next uint64 }

// requests are the rounds of a session in their order, each of which keeps as many blocks of the one before as
// its prefix_tokens say.
func (m *minter) requests(rounds []tracelabTurn, zero time.Time) (list []tree.Request, err error) {
	var before []uint64
	for _, r := range rounds {
		if !(r.Input >= 0 && r.Input <= tree.MaxTokens && r.Prefix >= 0 && r.Output >= 0 && r.Reasoning >= 0 && r.Output+r.Reasoning <= tree.MaxTokens) {
			return nil, fmt.Errorf("round %d: its lengths are not within 0 and %d tokens", r.Round, tree.MaxTokens)
		}
		blocks := int(r.Input) / tracelabBlock
		ids := slices.Clone(before[:min(int(min(r.Prefix, r.Input))/tracelabBlock, len(before), blocks)])
		for len(ids) < blocks {
			ids = append(ids, m.next)
			m.next++
		}
		before = ids
		list = append(list, tree.Request{
			At: r.at.Sub(zero), Took: r.took, Input: max(int(r.Input), 1), Output: max(int(r.Output+r.Reasoning), 1), Model: outside.Word(r.Model), IDs: ids,
		})
	}
	return list, nil
}

// time is when a round was sent, by the last thing that went into it, and how long its answer took, by the
// last that came of it. The zero time: it has none.
func (r *tracelabRow) time() (at time.Time, took time.Duration) {
	var in, firstOut, lastOut time.Time
	for _, e := range r.Events {
		when, err := date(e.Time)
		if err != nil || when.IsZero() {
			continue
		}
		switch e.Type {
		case "user_message", "tool_result":
			if when.After(in) {
				in = when
			}
		case "text", "reasoning", "tool_call":
			if firstOut.IsZero() || when.Before(firstOut) {
				firstOut = when
			}
			if when.After(lastOut) {
				lastOut = when
			}
		}
	}
	if in.IsZero() {
		in = firstOut
	}
	if lastOut.IsZero() {
		return in, 0
	}
	return in, max(lastOut.Sub(in), 0)
}
