package aiperf

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// weka is a trace in the words of its format.
type weka struct {
	ID       string   `json:"id"`
	Models   []string `json:"models"`
	Block    int      `json:"block_size"`
	Scope    string   `json:"hash_id_scope"`
	Tools    int      `json:"tool_tokens,omitempty"`
	System   int      `json:"system_tokens,omitempty"`
	Requests []any    `json:"requests"`
}

type call struct {
	T     float64  `json:"t"`
	Type  string   `json:"type"`
	Model string   `json:"model"`
	In    int      `json:"in"`
	Out   int      `json:"out"`
	IDs   []int    `json:"hash_ids"`
	API   *float64 `json:"api_time,omitempty"`
}

type subagent struct {
	T        float64  `json:"t"`
	Type     string   `json:"type"`
	ID       string   `json:"agent_id"`
	Kind     string   `json:"subagent_type"`
	Status   string   `json:"status"`
	Duration *int     `json:"duration_ms"`
	Models   []string `json:"models"`
	Requests []call   `json:"requests"`
}

// on is a call of a main model; api is in seconds, and below 0 it is not in the recording.
func on(t, api float64, in, out int, ids []int) call {
	c := call{T: t, Type: "s", Model: "big", In: in, Out: out, IDs: ids}
	if api >= 0 {
		c.API = &api
	}
	return c
}

func small(c call) call { c.Model = "small"; return c }

// sub is a sub-agent; with a duration below 0 it was launched, and its end was not recorded.
func sub(t float64, name string, ms int, calls ...call) subagent {
	s := subagent{T: t, Type: "subagent", ID: name, Kind: "Explore", Status: "completed", Models: []string{"big"}, Requests: calls}
	if ms < 0 {
		s.Status = "async_launched"
	} else {
		s.Duration = &ms
	}
	return s
}

// to is the ids from..to-1.
func to(from, to int) []int {
	ids := []int{}
	for id := from; id < to; id++ {
		ids = append(ids, id)
	}
	return ids
}

func job(id string, requests ...any) weka {
	return weka{ID: id, Models: []string{"big", "small"}, Block: 64, Scope: "local", Requests: requests}
}

// traces are short recordings, each for one rule of AIPerf's replay. What is in no rule's way is the same in all:
// blocks of 64 tokens, two models, and prompts that grow by some blocks a turn.
func traces() []weka {
	declared := job("l_declared",
		on(0, 0.4, 300, 20, to(0, 4)),
		on(1, 0.4, 460, 20, to(0, 7)),
		sub(1.5, "s1", 900, on(1.6, 0.3, 260, 10, slices.Concat(to(0, 2), to(50, 52)))),
		on(3, 0.4, 600, 10, to(0, 9)))
	declared.Tools, declared.System = 100, 60
	return []weka{
		// A pause is what is left of the distance of two starts when the call's own time is taken off, if that was
		// recorded, and never below zero.
		job("a_chain",
			on(0, 1, 130, 40, to(0, 2)),
			on(1.5, 0.5, 260, 30, to(0, 4)),
			on(2.5, 0.5, 400, 20, to(0, 6)),
			on(4, -1, 520, 25, to(0, 8)),
			on(5, 0.5, 640, 0, to(0, 10)),
			on(5.2, 0.3, 700, 10, to(0, 10))),
		// Two sub-agents of one turn: the next turn takes up the first, a later one the second.
		job("b_joins",
			on(0, 1, 130, 40, to(0, 2)),
			on(1.5, 0.5, 260, 30, to(0, 4)),
			sub(2.2, "a1", 2700, on(2.3, 0.5, 128, 20, to(20, 22)), on(3.5, 0.5, 260, 20, to(20, 24))),
			sub(2.4, "a2", 6000, on(2.5, 0.5, 128, 20, to(30, 32)), on(6.5, 0.5, 260, 20, to(30, 34))),
			on(5, 0.5, 400, 20, to(0, 6)),
			on(9, 0.5, 520, 20, to(0, 8)),
			on(10, 0.5, 640, 20, to(0, 10))),
		// The same sub-agent with times from its own begin, and with times from the trace's.
		job("c_absolute",
			on(0, 0.5, 130, 20, to(0, 2)),
			sub(10, "a1", 3000, on(10.2, 0.5, 128, 20, to(20, 22)), on(11.5, 0.5, 260, 20, to(20, 24))),
			on(14, 0.5, 260, 20, to(0, 4))),
		job("c_relative",
			on(0, 0.5, 130, 20, to(0, 2)),
			sub(10, "a1", 3000, on(0.2, 0.5, 128, 20, to(20, 22)), on(1.5, 0.5, 260, 20, to(20, 24))),
			on(14, 0.5, 260, 20, to(0, 4))),
		// Nobody takes up a sub-agent that outlives the root, nor one whose end was not recorded and comes late. One
		// that stands before the first turn has nobody to spawn it.
		job("d_background",
			sub(0, "lost", 500, on(0.1, 0.2, 128, 10, to(60, 62))),
			on(0.5, 0.5, 130, 20, to(0, 2)),
			sub(1.2, "late", 9000, on(1.3, 0.5, 128, 20, to(20, 22)), on(9, 0.5, 260, 20, to(20, 24))),
			sub(1.4, "launched", -1, on(1.5, 0.5, 128, 20, to(30, 32)), on(4.5, 0.5, 192, 20, to(30, 33))),
			on(3, 0.5, 260, 20, to(0, 4)),
			on(4, 0.5, 400, 20, to(0, 6))),
		// Two agents in one list, told apart by their blocks alone. Their calls overlap at times, and at times one
		// began when the other had ended.
		job("e_interleaved",
			on(0, 0.5, 260, 20, to(0, 4)),
			on(0.8, 1.4, 260, 30, slices.Concat(to(0, 2), to(40, 42))),
			on(1, 0.5, 400, 20, to(0, 6)),
			on(2.5, 0.5, 520, 20, to(0, 8)),
			on(2.6, 0.3, 400, 20, slices.Concat(to(0, 2), to(40, 44))),
			on(3.6, 0.5, 640, 20, to(0, 10)),
			on(4.4, 0.3, 520, 20, slices.Concat(to(0, 2), to(40, 46))),
			on(5, 0.5, 760, 20, to(0, 11))),
		// A compaction: the history shrinks and never grows back.
		job("f_compaction",
			on(0, 0.5, 400, 100, to(0, 6)),
			on(1, 0.5, 640, 100, to(0, 10)),
			on(2, 0.5, 900, 100, to(0, 14)),
			on(3.5, 0.5, 330, 60, slices.Concat(to(0, 2), to(70, 73))),
			on(4.5, 0.5, 460, 20, slices.Concat(to(0, 2), to(70, 75)))),
		// A pull-back: one call without the newest blocks, then the history goes on behind it.
		job("f_pullback",
			on(0, 0.5, 400, 100, to(0, 6)),
			on(1, 0.5, 640, 100, to(0, 10)),
			on(2, 0.5, 576, 100, to(0, 9)),
			on(3, 0.5, 768, 20, to(0, 12)),
			on(4, 0.5, 768, 20, to(0, 12))),
		// A title is asked for before the job begins.
		job("g_title",
			small(on(0, 0.3, 100, 12, to(90, 91))),
			on(0.5, 0.5, 260, 20, to(0, 4)),
			on(0.7, 0.2, 200, 10, to(95, 98)),
			on(1.5, 0.5, 400, 20, to(0, 6)),
			on(2.5, 0.5, 520, 20, to(0, 8))),
		// Half a minute of nothing.
		job("h_gap",
			on(0, 0.5, 130, 20, to(0, 2)),
			on(1, 0.5, 260, 20, to(0, 4)),
			on(31.5, 0.5, 400, 20, to(0, 6)),
			on(32.5, 0.5, 520, 20, to(0, 8))),
		// More ids than blocks, as many as there are with a part of a block, too few, and none.
		job("i_ids",
			on(0, 0.5, 130, 20, to(0, 3)),
			on(1, 0.5, 260, 20, to(0, 5)),
			on(2, 0.5, 260, 20, to(0, 6)),
			on(3, 0.5, 700, 20, to(0, 7)),
			on(4, 0.5, 760, 20, to(0, 0)),
			on(5, 0.5, 900, 20, to(0, 14))),
		// Two prompts are longer than what the server of the runs takes, 4,096 tokens.
		job("j_overflow",
			on(0, 0.5, 130, 20, to(0, 2)),
			sub(0.8, "big", 2000, on(0.9, 0.5, 5000, 10, to(200, 278)), on(1.8, 0.5, 5120, 10, to(200, 280))),
			on(3, 0.5, 260, 20, to(0, 4)),
			on(4, 0.5, 4800, 20, to(0, 75)),
			on(5, 0.5, 4930, 20, to(0, 77))),
		// Tools and a system prompt of declared size. A sub-agent that shares these blocks has them too.
		declared,
		// A sub-agent that began while the call that spawned it was still being answered.
		job("m_early",
			on(0, 0.5, 130, 20, to(0, 2)),
			on(1, 3, 260, 200, to(0, 4)),
			sub(1.2, "a1", 2000, on(1.3, 0.5, 128, 20, to(20, 22)), on(2.4, 0.5, 260, 20, to(20, 24))),
			on(5, 0.5, 400, 20, to(0, 6))),
		// Four workers begin at one point of the job, side by side, and the longest is joined later.
		job("n_workers",
			on(0, 0.5, 400, 20, to(0, 6)),
			on(1, 2, 500, 20, slices.Concat(to(0, 6), to(30, 31))),
			on(1.1, 2, 500, 20, slices.Concat(to(0, 6), to(31, 32))),
			on(1.2, 2, 500, 20, slices.Concat(to(0, 6), to(32, 33))),
			on(1.3, 0.5, 520, 20, to(0, 8)),
			on(3.3, 0.5, 560, 20, slices.Concat(to(0, 6), to(31, 33))),
			on(5, 0.5, 640, 20, to(0, 10))),
	}
}

func TestTracesAreWritten(t *testing.T) {
	var names []string
	for _, one := range traces() {
		raw, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		// A request a line, so that a reader and a difference see it.
		text := strings.ReplaceAll(string(raw), `,{"t":`, ",\n{\"t\":") + "\n"
		name := one.ID + ".json"
		names = append(names, name)
		path := filepath.Join("testdata", "traces", name)
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(kept) != text {
			t.Errorf("%s is not what the test writes; go test ./test/aiperf -update", path)
		}
	}
	kept, err := filepath.Glob(filepath.Join("testdata", "traces", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range kept {
		kept[i] = filepath.Base(kept[i])
	}
	if !slices.Equal(kept, names) {
		t.Errorf("testdata/traces has %v, and the test writes %v", kept, names)
	}
}
