package treefile

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

var own = &Format{
	Name: "tree", Doc: "What inferometer trace convert writes (JSON lines): one tree a line; times are seconds, each tree says the size of its blocks.", Timed: true,
	looks: func(head []byte) bool { return hasKeys(head, "inferometer_tree") },
	group: newEach,
	build: func(m material) (*tree.Tree, error) { return parse(m.values[0]) },
}

// Version is that of the lines that are written.
const Version = 1

// Line is a tree as it is written. What is zero, empty or false is left out.
type Line struct {
	Version  int      `json:"inferometer_tree"`     // the version of this form: 1
	ID       string   `json:"id"`                   // of the job, as the recording calls it
	At       Seconds  `json:"at_s,omitempty"`       // when its first turn began, by the recording's clock
	Block    int      `json:"block_size,omitempty"` // tokens of a block of hash_ids
	Shared   bool     `json:"shared_ids,omitempty"` // hash_ids mean the same in all trees
	Untimed  bool     `json:"untimed,omitempty"`    // at_s and took_s of turns are not known
	Cut      int      `json:"cut_turns,omitempty"`  // turns that had more ids than blocks, of which the rest was left out
	Branches []Branch `json:"branches"`             // agents; the first is the root
	Turns    []Turn   `json:"turns"`                // requests, each behind its parents, and else by the time at which they began
}

// Branch is one agent.
type Branch struct {
	Name   string  `json:"name"`                    // of the agent, as the recording calls it
	Kind   string  `json:"kind"`                    // root, subagent, agent, auxiliary, or the recording's own word
	Parent *int    `json:"parent,omitempty"`        // the branch that spawned it, by its place in the list from 0; absent: none
	System int     `json:"system_tokens,omitempty"` // tokens of the tools and the system prompt at the beginning of its prompts
	Since  Seconds `json:"since_s,omitempty"`       // when the first branch with its spawn and join was spawned
}

// Turn is one request.
type Turn struct {
	Name    string            `json:"name,omitempty"`     // as the recording calls it
	Branch  int               `json:"branch,omitempty"`   // by its place in the list, from 0
	At      Seconds           `json:"at_s,omitempty"`     // when it was sent, from the tree's first turn
	Took    Seconds           `json:"took_s,omitempty"`   // until the end of its answer
	Input   int               `json:"input,omitempty"`    // tokens of the whole prompt; absent: not known
	Output  int               `json:"output,omitempty"`   // tokens of the answer; absent: not known
	Kept    int               `json:"kept,omitempty"`     // blocks at the beginning of its prompt that are those of the turn before it on its branch
	IDs     []uint64          `json:"hash_ids,omitempty"` // the blocks behind those; equal ids of a tree are equal blocks
	Model   string            `json:"model,omitempty"`    // that answered
	Parents []Parent          `json:"parents,omitempty"`  // the turns that it waits for; without any it is sent at_s after the tree's begin
	Own     []json.RawMessage `json:"messages,omitempty"` // that it adds to its history, as chat completions have them
	Answer  json.RawMessage   `json:"answer,omitempty"`   // the recorded message of the assistant
	// Fields are further fields of the body, such as tools.
	Fields map[string]json.RawMessage `json:"fields,omitempty"`
}

// Parent is a turn that another waits for.
type Parent struct {
	Turn    int     `json:"turn"`              // by its place in the list, from 0
	Edge    string  `json:"edge"`              // next (the turn before it on its branch), spawn (what began its branch), join (the end of a branch that it takes up) or barrier (had ended before it began)
	Pause   Seconds `json:"pause_s,omitempty"` // from that turn's end to this one
	Sent    bool    `json:"sent,omitempty"`    // the pause counts from that turn's start
	History string  `json:"history,omitempty"` // what of that turn stands before the messages: nothing where absent, last (its own messages and answer) or full (and all before it)
}

var (
	edges     = []string{tree.Next: "next", tree.Spawn: "spawn", tree.Join: "join", tree.Barrier: "barrier"}
	histories = []string{tree.New: "", tree.Last: "last", tree.Full: "full"}
)

// Write writes a tree as a line.
func Write(w io.Writer, t *tree.Tree) error {
	l := Line{Version: Version, ID: t.ID, At: Seconds(t.At), Block: t.Block, Shared: t.Shared, Untimed: t.Untimed, Cut: t.Cut}
	for _, b := range t.Branches {
		made := Branch{Name: b.Name, Kind: b.Kind, System: b.System, Since: Seconds(b.Since)}
		if b.Parent >= 0 {
			made.Parent = &b.Parent
		}
		l.Branches = append(l.Branches, made)
	}
	for i := range t.Turns {
		u := &t.Turns[i]
		made := Turn{
			Name: u.Name, Branch: u.Branch, At: Seconds(u.At), Took: Seconds(u.Took), Input: u.Input, Output: u.Output,
			Kept: u.Kept, IDs: u.IDs, Model: u.Model, Own: u.Own, Answer: u.Answer, Fields: u.Fields,
		}
		for _, p := range u.Parents {
			made.Parents = append(made.Parents, Parent{Turn: p.Turn, Edge: edges[p.Edge], Pause: Seconds(p.Pause), Sent: p.Sent, History: histories[p.History]})
		}
		l.Turns = append(l.Turns, made)
	}
	_, err := w.Write(append(encode(&l), '\n'))
	return err
}

func parse(value []byte) (*tree.Tree, error) {
	var l Line
	if err := json.Unmarshal(value, &l); err != nil {
		return nil, err
	}
	if l.Version != Version {
		return nil, fmt.Errorf("it is of version %d; this program reads version %d", l.Version, Version)
	}
	t := &tree.Tree{ID: outside.Word(l.ID), At: time.Duration(l.At), Block: l.Block, Shared: l.Shared, Untimed: l.Untimed, Cut: l.Cut}
	for _, b := range l.Branches {
		made := tree.Branch{Name: outside.Word(b.Name), Kind: outside.Word(b.Kind), Parent: -1, System: b.System, Since: time.Duration(b.Since)}
		if b.Parent != nil {
			made.Parent = *b.Parent
		}
		t.Branches = append(t.Branches, made)
	}
	for i := range l.Turns {
		u, err := l.Turns[i].turn()
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", i, err)
		}
		t.Turns = append(t.Turns, u)
	}
	return t, nil
}

func (l *Turn) turn() (u tree.Turn, err error) {
	u = tree.Turn{
		Name: outside.Word(l.Name), Branch: l.Branch, At: time.Duration(l.At), Took: time.Duration(l.Took), Input: l.Input, Output: l.Output, Kept: l.Kept, IDs: l.IDs, Model: outside.Word(l.Model),
		Answer: l.Answer, Fields: l.Fields,
	}
	if len(l.Own) > 0 {
		if u.Own, err = messages(l.Own); err != nil {
			return u, err
		}
	}
	for _, p := range l.Parents {
		made := tree.Parent{Turn: p.Turn, Pause: time.Duration(p.Pause), Sent: p.Sent}
		edge, history := indexOf(edges, p.Edge), indexOf(histories, p.History)
		if edge < 0 || history < 0 {
			return u, fmt.Errorf("edge %q and history %q are not known", outside.Word(p.Edge), outside.Word(p.History))
		}
		made.Edge, made.History = tree.Edge(edge), tree.History(history)
		u.Parents = append(u.Parents, made)
	}
	return u, nil
}
