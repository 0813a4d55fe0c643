package treefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var dag = &Format{
	Name: "dag_jsonl", Doc: "AIPerf's dag_jsonl (JSON lines): conversations that fork and spawn others; delays are milliseconds.",
	looks: func(head []byte) bool { return hasKeys(head, "session_id", "turns", "messages") },
	group: func() grouper { return &dagSessions{lines: map[string]int{}, children: map[string][]string{}} },
	build: buildDAG,
}

type dagSession struct {
	ID           string          `json:"session_id"`
	Turns        []dagTurn       `json:"turns"`
	Context      string          `json:"context_mode"`
	Before       []string        `json:"pre_session_spawns"`
	Orchestrator json.RawMessage `json:"orchestrator"`
	Spawns       json.RawMessage `json:"spawns"`
	Rounds       json.RawMessage `json:"rounds"`
	Think        json.RawMessage `json:"think_time_ms"`
	ThinkSigma   json.RawMessage `json:"think_time_sigma"`
	ThinkMin     json.RawMessage `json:"think_time_min_ms"`
	ThinkMax     json.RawMessage `json:"think_time_max_ms"`
}

type dagTurn struct {
	Messages  []json.RawMessage          `json:"messages"`
	Model     string                     `json:"model"`
	MaxTokens json.RawMessage            `json:"max_tokens"`
	Tools     json.RawMessage            `json:"tools"`
	Extra     map[string]json.RawMessage `json:"extra"`
	Forks     []dagFork                  `json:"forks"`
	Spawns    []dagSpawn                 `json:"spawns"`
	Delay     float64                    `json:"delay"`
}

// dagFork is a child that goes on with its parent's messages. It may be written as the child's name alone.
type dagFork struct {
	Child      string `json:"child"`
	Background bool   `json:"background"`
}

func (f *dagFork) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &f.Child) == nil {
		return nil
	}
	type plain dagFork
	return strict(raw, (*plain)(f))
}

// dagSpawn are children that begin anew. One may be written as its name alone.
type dagSpawn struct {
	Children []string `json:"children"`
	JoinAt   *int     `json:"join_at"`
}

func (s *dagSpawn) UnmarshalJSON(raw []byte) error {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		s.Children = []string{name}
		return nil
	}
	type plain dagSpawn
	return strict(raw, (*plain)(s))
}

// strict refuses keys that it does not know: this is a file that somebody wrote by hand.
func strict(raw []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

func readDAG(raw []byte) (*dagSession, error) {
	var s dagSession
	if err := strict(raw, &s); err != nil {
		return nil, err
	}
	for _, other := range []json.RawMessage{s.Orchestrator, s.Spawns, s.Rounds, s.Think, s.ThinkSigma, s.ThinkMin, s.ThinkMax} {
		if !isNull(other) && string(other) != "false" && string(other) != "[]" {
			return nil, errors.New("an orchestrator, which sends no request of its own, is not read; let the first turn of a conversation spawn the others")
		}
	}
	switch {
	case s.ID == "":
		return nil, errors.New("it needs a session_id")
	case len(s.Turns) == 0:
		return nil, errors.New("it needs turns")
	case s.Context != "" && s.Context != "deltas_without_responses" && s.Context != "message_array_with_responses":
		return nil, fmt.Errorf("context_mode %q is not read: it can be deltas_without_responses or message_array_with_responses", outside.Word(s.Context))
	}
	return &s, nil
}

// children are those of all turns.
func (s *dagSession) children() (all []string) {
	all = append(all, s.Before...)
	for i := range s.Turns {
		for _, f := range s.Turns[i].Forks {
			all = append(all, f.Child)
		}
		for _, g := range s.Turns[i].Spawns {
			all = append(all, g.Children...)
		}
	}
	return all
}

// dagSessions groups each conversation that nobody begins with all below it. Values of a tree may be those of
// another too.
type dagSessions struct {
	order    []string
	lines    map[string]int
	children map[string][]string
}

func (g *dagSessions) add(n int, value []byte) error {
	s, err := readDAG(value)
	if err != nil {
		return err
	}
	if _, twice := g.lines[s.ID]; twice {
		return fmt.Errorf("there are two conversations with the session_id %q", outside.Word(s.ID))
	}
	g.lines[s.ID] = n
	g.order = append(g.order, s.ID)
	g.children[s.ID] = s.children()
	return nil
}

func (g *dagSessions) groups() ([]group, error) {
	child := map[string]bool{}
	for _, id := range g.order {
		for _, c := range g.children[id] {
			if _, known := g.lines[c]; !known {
				return nil, valueError(g.lines[id]+1, fmt.Errorf("there is no conversation %q", outside.Word(c)))
			}
			child[c] = true
		}
	}
	var all []group
	reached := map[string]bool{}
	for _, id := range g.order {
		if child[id] {
			continue
		}
		list, seen := []string{id}, map[string]bool{id: true}
		for i := 0; i < len(list); i++ {
			for _, c := range g.children[list[i]] {
				if !seen[c] {
					seen[c] = true
					list = append(list, c)
				}
			}
		}
		lines := make([]int, len(list))
		for i, s := range list {
			lines[i], reached[s] = g.lines[s], true
		}
		all = append(all, group{values: lines})
	}
	if len(reached) < len(g.order) {
		return nil, errors.New("some of its conversations begin each other")
	}
	return all, nil
}

func buildDAG(m material) (*tree.Tree, error) {
	b := &dagTree{sessions: map[string]*dagSession{}, open: map[string]bool{}, Tree: &tree.Tree{Untimed: true}}
	var root string
	for i, raw := range m.values {
		s, err := readDAG(raw)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			root, b.ID = s.ID, outside.Word(s.ID)
		}
		b.sessions[s.ID] = s
	}
	if _, err := b.play(root, -1, nil); err != nil {
		return nil, err
	}
	return b.Tree, arrange(b.Tree)
}

// dagTree makes a branch of each conversation as often as it is begun.
type dagTree struct {
	*tree.Tree
	sessions map[string]*dagSession
	open     map[string]bool // those that are being made
}

// play adds a conversation, whose first turn waits for begin, and all that it begins. It returns its last turn.
func (b *dagTree) play(id string, parent int, begin []tree.Parent) (last int, err error) {
	s := b.sessions[id]
	if s == nil {
		return 0, fmt.Errorf("there is no conversation %q", outside.Word(id))
	}
	if b.open[id] {
		return 0, fmt.Errorf("conversation %q begins itself", outside.Word(id))
	}
	b.open[id] = true
	defer delete(b.open, id)
	branch := len(b.Branches)
	kind := tree.Subagent
	if parent < 0 {
		kind = tree.Root
	}
	b.Branches = append(b.Branches, tree.Branch{Name: outside.Word(id), Kind: kind, Parent: parent})
	joins := make([][]int, len(s.Turns)) // last turns of others that each turn takes up
	for i := range s.Turns {
		if last, err = b.turn(s, i, branch, last, begin, joins); err != nil {
			return 0, fmt.Errorf("conversation %q, turn %d: %w", outside.Word(id), i, err)
		}
	}
	return last, nil
}

// turn adds one turn of a conversation and what it begins.
func (b *dagTree) turn(s *dagSession, i, branch, before int, begin []tree.Parent, joins [][]int) (int, error) {
	d := &s.Turns[i]
	if len(b.Turns) >= tree.MaxTurns {
		return 0, fmt.Errorf("it has more than %d turns, as some conversations are begun often", tree.MaxTurns)
	}
	delay, err := pause(d.Delay / 1000)
	if err != nil {
		return 0, err
	}
	u := tree.Turn{Branch: branch, Model: outside.Word(d.Model)}
	if u.Own, err = messages(d.Messages); err != nil {
		return 0, err
	}
	for name, raw := range d.Extra {
		u.Fields = field(u.Fields, name, raw)
	}
	u.Fields = field(u.Fields, "max_tokens", d.MaxTokens)
	u.Fields = field(u.Fields, "tools", d.Tools)
	if i == 0 {
		u.Parents = append(u.Parents, begin...)
	} else {
		history := tree.Full
		if s.Context == "message_array_with_responses" {
			history = tree.New
		}
		u.Parents = append(u.Parents, tree.Parent{Turn: before, Edge: tree.Next, History: history})
	}
	for _, child := range joins[i] {
		u.Parents = append(u.Parents, tree.Parent{Turn: child, Edge: tree.Join})
	}
	for k := range u.Parents {
		u.Parents[k].Pause = delay
	}
	n := len(b.Turns)
	b.Turns = append(b.Turns, u) // a delay before the first of all would move the whole tree, and is left out
	return n, b.begin(s, i, n, branch, joins)
}

// begin adds what a turn begins.
func (b *dagTree) begin(s *dagSession, i, n, branch int, joins [][]int) error {
	if i == 0 {
		for _, c := range s.Before { // sent with it
			if _, err := b.play(c, branch, []tree.Parent{{Turn: n, Edge: tree.Spawn, Sent: true}}); err != nil {
				return err
			}
		}
	}
	for _, f := range s.Turns[i].Forks {
		if !f.Background && i < len(s.Turns)-1 {
			return fmt.Errorf("the fork %q ends the conversation, which has more turns: write {\"child\": …, \"background\": true}", outside.Word(f.Child))
		}
		if _, err := b.play(f.Child, branch, []tree.Parent{{Turn: n, Edge: tree.Spawn, History: tree.Full}}); err != nil {
			return err
		}
	}
	for _, g := range s.Turns[i].Spawns {
		join := i + 1
		if g.JoinAt != nil {
			if join = *g.JoinAt; join <= i || join >= len(s.Turns) {
				return fmt.Errorf("join_at must be within %d and %d, not %d", i+1, len(s.Turns)-1, join)
			}
		}
		for _, c := range g.Children {
			last, err := b.play(c, branch, []tree.Parent{{Turn: n, Edge: tree.Spawn}})
			if err != nil {
				return err
			}
			if join < len(s.Turns) { // else nobody waits for them
				joins[join] = append(joins[join], last)
			}
		}
	}
	return nil
}
