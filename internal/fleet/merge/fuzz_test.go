package merge

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/klauspost/compress/zstd"
)

// FuzzMerge gives a merge two agents' journals, one of which is anything, beside a list of
// twelve requests. Whatever it holds: each request of the list has exactly one line, on a
// request of its own agent, and the result can be read.
func FuzzMerge(f *testing.F) {
	dir := f.TempDir()
	list := single(12)
	lines := func(agent int, change func(*journal.Request)) []byte {
		run, err := json.Marshal(journal.Line{Run: firstLine(start)})
		check(f, err)
		b := append(run, '\n')
		for i := agent; i < len(list); i += 2 {
			r := list[i]
			change(&r)
			b = journal.AppendRequest(b, &r)
		}
		sample, err := json.Marshal(journal.Line{Sample: &journal.Sample{At: 5, Files: 3}})
		check(f, err)
		end, err := json.Marshal(journal.Line{End: &journal.End{At: 9, Sent: 6}})
		check(f, err)
		return append(append(append(b, sample...), '\n'), append(end, '\n')...)
	}
	good := filepath.Join(dir, "good.zst")
	check(f, os.WriteFile(good, packed(f, lines(0, func(*journal.Request) {})), 0o644))

	whole := lines(1, func(*journal.Request) {})
	f.Add(packed(f, whole), true, true, 6)
	f.Add(packed(f, whole)[:200], true, false, 3) // cut in a frame
	f.Add(packed(f, whole[:len(whole)/2]), false, false, 6)
	f.Add(packed(f, append(slices.Clone(whole), whole...)), true, true, 6) // twice
	f.Add(packed(f, lines(0, func(*journal.Request) {})), true, true, 0)   // another's
	f.Add(packed(f, lines(1, func(r *journal.Request) { r.Index = 1 << 39 })), true, true, 1<<40)
	f.Add(packed(f, lines(1, func(r *journal.Request) { r.Index = -r.Index })), true, true, -1)
	f.Add(packed(f, lines(1, func(r *journal.Request) { r.Agent = 1 << 30 })), true, true, 6)
	f.Add(packed(f, lines(1, func(r *journal.Request) { r.Target = 3; r.Outcome = journal.Unsent })), true, true, 6)
	f.Add(packed(f, bytes.ReplaceAll(whole, []byte(`"end":`), []byte(`"end":8639999999999`))), true, true, 6)
	f.Add(packed(f, bytes.ReplaceAll(whole, []byte(`"start_unix_ns":`), []byte(`"start_unix_ns":9`))), true, true, 6)
	f.Add(packed(f, append([]byte(`{"run":{"schema":1,"fleet":{"agents":[{"id":"x"}]}}}`+"\n"+`{"conversation":{"n":7,"turns":2,"sent":1,"skipped":1,"outcome":"failed","end":1}}`+"\n"), whole...)), true, true, 6)
	f.Add([]byte("no journal"), true, true, 6)
	f.Add([]byte{}, true, false, 6)

	f.Fuzz(func(t *testing.T, b []byte, listed, complete bool, sent int) {
		if len(b) > 1<<16 {
			return
		}
		dir := t.TempDir()
		odd := filepath.Join(dir, "odd.zst")
		check(t, os.WriteFile(odd, b, 0o644))
		weights := []int{1, 1}
		p := &Plan{Run: "r", Start: start, ShareSHA: []string{"a", "b"}, Agents: []Agent{
			{ID: "good", Share: share.Share{Index: 0, Weights: weights}, Journal: good, Whole: true, Status: &message.Status{Phase: message.Ended, Sent: 6}},
			{ID: "odd", Share: share.Share{Index: 1, Weights: weights}, Journal: odd, Whole: complete, Status: &message.Status{Phase: message.Running, Sent: min(max(sent, 0), 1000)}},
		}}
		if listed {
			p.Planned = planned(list, weights)
		}
		path := filepath.Join(dir, "whole.zst")
		w, err := journal.Create(path)
		check(t, err)
		sum, err := Merge(p, w)
		check(t, err)
		check(t, w.Close())
		if listed && sum.Planned != len(list) {
			t.Errorf("of %d planned: %+v", len(list), sum)
		}
		r, err := journal.Open(path)
		check(t, err)
		defer r.Close()
		seen := map[int]bool{}
		for {
			one, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			check(t, err)
			if one.Warmup {
				continue
			}
			if seen[one.Index] || one.Agent != one.Index%2 && one.Conversation == 0 || listed && one.Index >= len(list) {
				t.Errorf("request %d of agent %d, seen %v", one.Index, one.Agent, seen[one.Index])
			}
			seen[one.Index] = true
		}
		if n, why := r.Skipped(); n > 0 || r.Damage() != nil || r.End() == nil {
			t.Errorf("what was merged can't be read: %d lines, %v, %v", n, why, r.Damage())
		}
		if listed && len(seen)+sum.Skipped != len(list) {
			t.Errorf("%d of %d requests have a line, %+v", len(seen), len(list), sum)
		}
	})
}

func packed(t testing.TB, b []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	check(t, err)
	defer enc.Close()
	return enc.EncodeAll(b, nil)
}
