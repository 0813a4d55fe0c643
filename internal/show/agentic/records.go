// Package agentic writes a run in the forms that AIPerf and InferenceX have for agents: AIPerf's three files, and the
// aggregate that InferenceX makes of them. Definitions are theirs where they have one, so that their readers find in our
// files what they would find in AIPerf's.
package agentic

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// record is one request in AIPerf's terms. Times are in ms, and below zero where there is none.
type record struct {
	warmup     bool
	failed     string // the outcome; empty: a success
	start, end int64  // ns since 1970

	ttft, second, latency, itl float64
	in, out, asked, cached     int // cached: -1 where the server did not say
	planned, plannedOf         int
}

// Run is a run read for export.
type Run struct {
	*judged.Run
	Folder string

	records  []record // what AIPerf has a record of: no overflows, and nothing that the end of the run cut
	overflow int      // measured requests whose prompts did not fit
	cut      int      // measured requests that the end of the run cut
	errors   map[errorKey]int
	talks    map[int]*journal.Conversation
	children childCounts
	trees    int // conversations of which a turn was sent
}

// errorKey tells errors apart as AIPerf does.
type errorKey struct {
	status        int
	kind, message string
}

// childCounts are what became of branches that are no root.
type childCounts struct{ spawned, completed, errored, truncated int }

// Read reads a run, and writes AIPerf's line of each request to lines unless that is nil. rules are those to judge it by;
// empty: as in the run.
func Read(folder, rules string, lines io.Writer) (*Run, error) {
	r := &Run{Folder: folder, errors: map[errorKey]int{}, talks: map[int]*journal.Conversation{}}
	if err := r.readConversations(); err != nil {
		return nil, err
	}
	j, err := judged.Open(folder)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	c := &collector{run: r, first: j.Run(), lines: lines, turns: map[place]int{}, branches: map[place]*branch{}}
	if r.Run, err = judged.Journal(j, measure.Options{Compat: new(string), Rules: rules}, c); err != nil {
		return nil, err
	}
	if len(r.records) == 0 {
		return nil, errors.New("no request of it was answered or failed: there is nothing to write")
	}
	r.countChildren(c)
	return r, nil
}

// readConversations reads how each ended, since a request only has its number.
func (r *Run) readConversations() (err error) {
	j, err := journal.Open(filepath.Join(r.Folder, journal.FileName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	j.OnConversation(func(c *journal.Conversation) {
		kept := *c
		r.talks[c.Number] = &kept
	})
	for {
		if _, err := j.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return nil // what comes after a damage is said where the journal is measured
		}
	}
}

// place is a branch of a conversation.
type place struct{ conversation, branch int }

// branch is what was seen of one.
type branch struct{ sent, failed, cut int }

// collector sees each request once.
type collector struct {
	run      *Run
	first    *journal.Run
	lines    io.Writer
	turns    map[place]int
	branches map[place]*branch
	session  int
}

// Add implements row.Collector.
func (c *collector) Add(r *row.Request) error {
	if r.Sample || r.Probe {
		return nil
	}
	at := place{r.Conversation, r.Branch}
	turn := c.turns[at]
	c.turns[at]++
	if !r.Warmup {
		c.count(at, r)
		switch {
		case r.Overflow():
			c.run.overflow++
			return nil
		case r.Outcome == journal.Cancelled, r.Outcome == journal.HungUp:
			c.run.cut++
			return nil
		}
	}
	rec := recordOf(c.first, r)
	if rec.failed != "" && !rec.warmup {
		c.run.errors[errorKey{r.Status, rec.failed, errorText(r)}]++
	}
	c.run.records = append(c.run.records, rec)
	c.session++
	if c.lines == nil {
		return nil
	}
	return writeLine(c.lines, c.run.line(c.first, &rec, r, c.session-1, turn))
}

func (c *collector) count(at place, r *row.Request) {
	b := c.branches[at]
	if b == nil {
		b = &branch{}
		c.branches[at] = b
	}
	b.sent++
	switch {
	case r.Outcome == journal.Cancelled, r.Outcome == journal.HungUp:
		b.cut++
	case r.Outcome != journal.Complete:
		b.failed++
	}
}

// countChildren says what became of branches other than roots. Which turns of a branch were never sent is not in the
// journal, so that one of an abandoned conversation counts as truncated.
func (r *Run) countChildren(c *collector) {
	trees := map[int]bool{}
	for at, b := range c.branches {
		if at.conversation == 0 {
			continue
		}
		trees[at.conversation] = true
		if at.branch == 0 {
			continue
		}
		r.children.spawned++
		talk := r.talks[at.conversation]
		switch {
		case b.failed > 0:
			r.children.errored++
		case b.cut > 0 || talk == nil || talk.Outcome == journal.ConversationAbandoned:
			r.children.truncated++
		default:
			r.children.completed++
		}
	}
	r.trees = len(trees)
}

func recordOf(first *journal.Run, r *row.Request) record {
	rec := record{
		warmup: r.Warmup, start: first.StartUnixNs + r.Sent, end: first.StartUnixNs + r.End,
		ttft: -1, second: -1, latency: -1, itl: -1, asked: r.OutputTokens, cached: int(r.Row.Cached), planned: r.Planned, plannedOf: r.PlannedOf,
	}
	if !r.Complete() {
		rec.failed = string(r.Outcome)
		return rec
	}
	rec.in, rec.out = int(r.Row.Prompt), int(r.Row.Got)
	if r.Row.Last >= 0 {
		rec.latency = millis(r.Row.Last)
	}
	if r.Row.First >= 0 {
		rec.ttft = millis(r.Row.First)
	}
	if len(r.Chunks) > 1 {
		rec.second = millis(r.Chunks[1] - r.Chunks[0])
	}
	if rec.ttft >= 0 && rec.out >= 2 {
		rec.itl = (rec.latency - rec.ttft) / float64(rec.out-1)
	}
	return rec
}

func millis(ns int64) float64 { return float64(ns) / 1e6 }

// errorText is never empty: AIPerf's readers want a message.
func errorText(r *row.Request) string {
	if r.Error == "" {
		return string(r.Outcome)
	}
	return r.Error
}

// names are how AIPerf names a branch: its conversation, the stream of requests, and the tree of streams.
func (r *Run) names(q *journal.Request) (conversation, stream, tree string) {
	if q.Conversation == 0 {
		id := fmt.Sprintf("request-%d", q.Index)
		return id, id, id
	}
	tree = fmt.Sprintf("conversation-%d", q.Conversation)
	conversation, stream = tree, tree
	talk := r.talks[q.Conversation]
	if talk != nil && talk.Trace != "" {
		conversation = talk.Trace
	}
	if q.Branch == 0 {
		return conversation, stream, tree
	}
	name := fmt.Sprintf("sa:%d", q.Branch)
	if talk != nil && q.Branch < len(talk.Branches) && talk.Branches[q.Branch].Name != "" {
		name = talk.Branches[q.Branch].Name
	}
	return conversation + "::" + name, fmt.Sprintf("%s.%d", stream, q.Branch), tree
}
