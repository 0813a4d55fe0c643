package llama

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/test/realserver"
)

// turnFigures are what is known of one turn, over all conversations.
type turnFigures struct {
	ttft, compute, prompt, cached []int64 // ns, ns by the server itself, tokens, tokens
}

// talk runs conversations of five turns, one at a time, and gives the figures by turn. What the server says that it took
// from its cache it did not compute: its own counter of computed tokens has the rest, and nothing more.
func talk(t *testing.T, s *realserver.Server, n int) []turnFigures {
	t.Helper()
	const turns = 5
	before := s.Counter(t, promptCounter)
	folder := filepath.Join(t.TempDir(), "run")
	r := realserver.StartBench(t, nil, realserver.Build(t), "--base-url", s.Base, "--backend", "openai-chat", "--dataset-name", "multi-turn",
		"--num-prompts", strconv.Itoa(n), "--multi-turn-num-turns", strconv.Itoa(turns), "--random-input-len", strconv.Itoa(realserver.Requests(80, 40)), "--random-output-len", "16", "--max-conversations", "1",
		"--temperature", "0", "--run-dir", folder).Wait(t, 0, patience)
	if r.Completed != n*turns {
		t.Fatalf("%d of %d turns were completed", r.Completed, n*turns)
	}
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	ended := 0
	j.OnConversation(func(c *journal.Conversation) {
		if ended++; c.Outcome != journal.ConversationComplete || c.Complete != turns {
			t.Errorf("%+v", c)
		}
	})
	computed := int64(s.Counter(t, promptCounter) - before)
	figures := make([]turnFigures, turns)
	for {
		q, err := j.Next()
		if err != nil {
			break
		}
		f := &figures[q.Turn-1]
		f.ttft = append(f.ttft, q.Events.At[0])
		f.compute = append(f.compute, q.ServerPromptNs)
		f.prompt = append(f.prompt, int64(q.UsagePrompt))
		f.cached = append(f.cached, int64(q.UsageCached))
		computed -= int64(q.UsagePrompt - q.UsageCached)
	}
	if computed != 0 {
		t.Errorf("the server computed %d tokens of prompts more than those that did not come from its cache", computed)
	}
	if ended != n {
		t.Errorf("%d of %d conversations have a line", ended, n)
	}
	return figures
}

func median(list []int64) int64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// TestConversation: in a conversation of five turns all that came before is taken from
// the server's prompt cache, by its own count, and is not computed; without the cache each
// turn costs its whole prompt. The times are in the log: what else the machine does is in them.
func TestConversation(t *testing.T) {
	n := realserver.Requests(4, 1)
	on := talk(t, startLlama(t, "--parallel", "1", "--ctx-size", "2048"), n)
	off := talk(t, startLlama(t, "--parallel", "1", "--ctx-size", "2048", "--no-cache-prompt"), n)
	var table strings.Builder
	ms := func(ns int64) float64 { return float64(ns) / 1e6 }
	fmt.Fprintf(&table, "turn  prompt  cached  TTFT, ms  prompt, ms by the server |  without the cache: cached  TTFT, ms  prompt, ms by the server\n")
	for i := range on {
		a, b := &on[i], &off[i]
		fmt.Fprintf(&table, "%4d  %6d  %6d  %8.1f  %24.1f |  %25d  %8.1f  %24.1f\n", i+1,
			median(a.prompt), median(a.cached), ms(median(a.ttft)), ms(median(a.compute)), median(b.cached), ms(median(b.ttft)), ms(median(b.compute)))
		if slices.Max(b.cached) > 0 {
			t.Errorf("turn %d: %v tokens came from a cache that is off", i+1, b.cached)
		}
		if i == 0 {
			continue
		}
		// The answer before was computed too; its last tokens, and a template's, may not be there.
		const slack = 16
		if least := median(on[i-1].prompt) - slack; slices.Min(a.cached) < least {
			t.Errorf("turn %d: %v tokens came from the cache, want at least the %d of the turn before", i+1, a.cached, least)
		}
	}
	t.Logf("medians of %d conversations\n%s", n, table.String())
}
