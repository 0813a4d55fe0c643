package trace

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// readRecordedTree reads the rows of one session of a recording.
func readRecordedTree(in *input, _ TreeOptions) (*tree.Tree, error) {
	var rows []Recorded
	for d := json.NewDecoder(in); ; {
		in.bound.passed()
		var r Recorded
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF):
			return recordedTree(rows)
		case err != nil:
			return nil, err
		}
		r.Request, r.Answer = nil, nil
		rows = append(rows, r)
	}
}

// recordedTree makes a tree of the rows of one session. A request that continues another is the next turn of its branch;
// where several do, all but one fork off. One that continues none begins a branch, too: a sub-agent, or the root.
// What failed, or has a prompt of unknown length, is left out.
func recordedTree(rows []Recorded) (*tree.Tree, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Recorded) bool { return !IsReplayed(r.Outcome) || r.Input == nil })
	if len(rows) == 0 {
		return nil, ErrNoRequest
	}
	recording := tree.Recording{Shared: true}
	requests := make([]tree.Request, len(rows))
	fields := make(map[string]map[string]json.RawMessage, len(rows))
	for i := range rows {
		q, sampling, err := recordedRequest(&rows[i])
		if err != nil {
			return nil, err
		}
		recording.ID = rows[i].Session
		recording.Block = cmp.Or(recording.Block, rows[i].Block)
		if rows[i].Block != recording.Block { // its blocks have no place beside the others
			q.IDs = nil
		}
		requests[i], fields[q.Name] = q, sampling
	}
	recording.Block = cmp.Or(recording.Block, historyBlock)
	branches, forks := recordedBranches(rows)
	root := 0
	if i := slices.IndexFunc(branches, func(b []int) bool { return len(b) > 1 }); i > 0 {
		root = i // what came before it are single calls, for a title, say
	}
	for b, list := range branches {
		if b == root {
			for _, i := range list {
				recording.Entries = append(recording.Entries, tree.Entry{Request: requests[i]})
			}
			continue
		}
		first := &requests[list[0]]
		sub := &tree.Sub{Name: first.Name, Kind: tree.Subagent, Took: -1}
		switch {
		case forks[b]:
			sub.Kind = tree.Found
		case len(list) == 1 && (b < root || first.Model != requests[branches[root][0]].Model):
			sub.Kind = tree.Auxiliary
		}
		for _, i := range list {
			sub.Requests = append(sub.Requests, requests[i])
		}
		recording.Entries = append(recording.Entries, tree.Entry{Request: tree.Request{At: first.At}, Sub: sub})
	}
	t, err := tree.Build(recording, false)
	if err != nil {
		return nil, err
	}
	for i := range t.Turns {
		t.Turns[i].Fields = fields[t.Turns[i].Name]
	}
	return t, nil
}

// recordedRequest is a row as a turn, and the parameters that are sent again.
func recordedRequest(e *Recorded) (q tree.Request, sampling map[string]json.RawMessage, err error) {
	var r Row
	if _, err = (&recordedTurns{turns: map[uint64]int{}}).row(e, &r); err != nil {
		return q, nil, err
	}
	took, err := seconds(e.E2EL / 1000)
	if err != nil {
		return q, nil, err
	}
	for _, p := range r.Sampling {
		if sampling == nil {
			sampling = map[string]json.RawMessage{}
		}
		sampling[p.Name] = p.Value
	}
	return tree.Request{
		Name: strconv.FormatUint(e.ID, 10), At: r.At, Took: max(took, 0), Input: r.Input, Output: r.Output, IDs: r.IDs, Model: r.Model,
	}, sampling, nil
}

// recordedBranches are the rows of each branch in the order of time, the earliest branch first, and which of them fork off
// another one.
func recordedBranches(rows []Recorded) (branches [][]int, forks []bool) {
	order := make([]int, len(rows))
	place := make(map[uint64]int, len(rows)) // of a row, by its id
	for i := range rows {
		order[i], place[rows[i].ID] = i, i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(*rows[a].Timestamp, *rows[b].Timestamp) })
	rank := make([]int, len(rows)) // of a row in time
	for k, i := range order {
		rank[i] = k
	}
	before := func(i int) (p int, ok bool) {
		p, ok = place[rows[i].Continues]
		return p, ok && rows[i].Continues != 0 && rank[p] < rank[i]
	}
	// Of those that continue a row, that one stays on its branch after which most time is spent.
	last := make([]float64, len(rows)) // the end of what comes after a row
	next := make(map[int]int, len(rows))
	for _, i := range slices.Backward(order) {
		last[i] = max(last[i], *rows[i].Timestamp+rows[i].E2EL)
		if p, ok := before(i); ok {
			last[p] = max(last[p], last[i])
			if n, taken := next[p]; !taken || last[i] >= last[n] {
				next[p] = i
			}
		}
	}
	of := make([]int, len(rows)) // the branch of a row
	for _, i := range order {
		p, continues := before(i)
		if continues && next[p] == i {
			of[i] = of[p]
			branches[of[i]] = append(branches[of[i]], i)
			continue
		}
		of[i] = len(branches)
		branches, forks = append(branches, []int{i}), append(forks, continues)
	}
	return branches, forks
}
