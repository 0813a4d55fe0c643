package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/send/trace"
)

// A corpus is the same each time, and what is read of it is what was drawn: jobs with sub-agents, of prompts that keep to
// the bound.
func TestCorpus(t *testing.T) {
	c := &corpus{traces: 20, requests: 40, context: 120_000, seed: 3}
	var first, again bytes.Buffer
	if err := c.write(&first); err != nil {
		t.Fatal(err)
	}
	if err := c.write(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), again.Bytes()) {
		t.Error("a second corpus of the same seed is another")
	}
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	if err := os.WriteFile(path, first.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Open("", path)
	if err != nil {
		t.Fatal(err)
	}
	trees, err := tr.Trees(trace.TreeOptions{Split: true})
	if err != nil {
		t.Fatal(err)
	}
	defer trees.Close()
	turns, subs := 0, 0
	for i := range trees.Len() {
		x, err := trees.Tree(i)
		if err != nil {
			t.Fatal(err)
		}
		turns += len(x.Turns)
		subs += len(x.Branches) - 1
		for _, q := range x.Turns {
			if q.Input > c.context {
				t.Errorf("a prompt of %d tokens", q.Input)
			}
		}
		if x.Cut > 0 {
			t.Errorf("%d prompts have too many ids", x.Cut)
		}
	}
	if mean := float64(turns) / 20; trees.Len() != 20 || mean < 20 || mean > 80 || subs < 10 {
		t.Errorf("%d jobs, %d turns, %d sub-agents", trees.Len(), turns, subs)
	}
}
