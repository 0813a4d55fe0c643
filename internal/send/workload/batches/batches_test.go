package batches

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// ids reads the prompt back.
func ids(t *testing.T, r *workload.Request) []int {
	t.Helper()
	var list []int
	if err := json.Unmarshal([]byte(r.Prompt), &list); err != nil || !r.TokenIDs {
		t.Fatalf("request %d: %q is no list of ids (%v)", r.Index, r.Prompt, err)
	}
	if len(list) != r.PromptTokens {
		t.Errorf("request %d has %d tokens and says %d", r.Index, len(list), r.PromptTokens)
	}
	return list
}

func allBatches(t *testing.T, b *Batches) (requests []*workload.Request) {
	t.Helper()
	for {
		r, err := b.Next()
		if errors.Is(err, io.EOF) {
			return requests
		}
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, r)
	}
}

func TestBatchesAreExactAndNew(t *testing.T) {
	o := BatchOptions{Size: 3, Count: 4, Prompt: 17, Output: 5, IDs: 50, Seed: 9}
	b := NewBatches(o)
	requests := allBatches(t, b)
	if len(requests) != 12 || b.Len() != 12 {
		t.Fatalf("%d requests, Len %d, want 12", len(requests), b.Len())
	}
	warmups, err := b.Warmups(3)
	if err != nil || len(warmups) != 3 {
		t.Fatalf("%d warm-ups, %v", len(warmups), err)
	}
	seen := map[string]bool{}
	for _, r := range append(warmups, requests...) {
		for _, id := range ids(t, r) {
			if id < 0 || id >= 50 {
				t.Errorf("request %d has the id %d", r.Index, id)
			}
		}
		if seen[r.Prompt] || r.OutputTokens != 5 || r.Unmeasured {
			t.Errorf("request %d: seen %v, %d tokens to generate, unmeasured %v", r.Index, seen[r.Prompt], r.OutputTokens, r.Unmeasured)
		}
		seen[r.Prompt] = true
	}
	if d := cmp.Diff(requests, allBatches(t, NewBatches(o))); d != "" {
		t.Errorf("the same seed gives others:\n%s", d)
	}
}

// At a depth each batch is sent twice: the depth alone, not measured, then with the prompt behind it.
func TestBatchesAtADepth(t *testing.T) {
	requests := allBatches(t, NewBatches(BatchOptions{Size: 2, Count: 2, Prompt: 3, Output: 4, Depth: 5, IDs: 1000, Seed: 1}))
	if len(requests) != 8 {
		t.Fatalf("%d requests, want 8", len(requests))
	}
	for i, r := range requests {
		if r.Index != i {
			t.Fatalf("request %d has the index %d", i, r.Index)
		}
		if prepares := i/2%2 == 0; prepares != r.Unmeasured {
			t.Errorf("request %d: unmeasured %v", i, r.Unmeasured)
		} else if !prepares {
			before := ids(t, requests[i-2])
			if d := cmp.Diff(before, ids(t, r)[:5]); d != "" || len(before) != 5 {
				t.Errorf("request %d does not go on from request %d:\n%s", i, i-2, d)
			}
		}
	}
}
