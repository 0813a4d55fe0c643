package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/truth"
)

// Each request that contradicts its server is found, and none that does not.
func TestOneRequestAgainstItsServer(t *testing.T) {
	whole := journal.Request{ID: "restart-1", Outcome: journal.Complete, OutputTokens: 16}
	cut := whole
	cut.Cut = true
	failed := func(o journal.Outcome, status int, words string) journal.Request {
		return journal.Request{ID: "restart-1", Outcome: o, Status: status, Error: words, OutputTokens: 16}
	}
	for _, tt := range []struct {
		name    string
		request journal.Request
		servers []truth.Request
		wrong   bool
	}{
		{"complete", whole, []truth.Request{{Finish: "length", Tokens: 16}}, false},
		{"complete with fewer tokens", whole, []truth.Request{{Finish: "length", Tokens: 15}}, true},
		{"complete and aborted", whole, []truth.Request{{Finish: "abort", Tokens: 16}}, true},
		{"complete, cut before [DONE]", cut, []truth.Request{{Finish: "abort", Tokens: 16}}, false},
		{"complete, cut before its last token", cut, []truth.Request{{Finish: "abort", Tokens: 15}}, true},
		{"complete without a finish reason", whole, []truth.Request{{Tokens: 16}}, true},
		{"at two servers", whole, []truth.Request{{Finish: "length", Tokens: 16}, {Finish: "length", Tokens: 16}}, true},
		{"refused", failed(journal.Refused, 0, ""), nil, false},
		{"refused and taken", failed(journal.Refused, 0, ""), []truth.Request{{Finish: "length", Tokens: 16}}, true},
		{"reset", failed(journal.Reset, 0, ""), nil, false},
		{"turned away at the end", failed(journal.HTTP5xx, 503, `HTTP 503: {"error":{"message":"the server is stopping"}}`), nil, false},
		{"another 503", failed(journal.HTTP5xx, 503, "HTTP 503: overloaded"), nil, true},
		{"another status", failed(journal.HTTP5xx, 500, "HTTP 500: the server is stopping"), nil, true},
		{"timeout", failed(journal.Timeout, 200, ""), nil, true},
	} {
		c := &count{outcomes: map[journal.Outcome]int{}}
		c.one(&tt.request, tt.servers, map[string]bool{}, map[int]bool{})
		if (len(c.wrong) > 0) != tt.wrong {
			t.Errorf("%s: %q", tt.name, c.wrong)
		}
	}
}

// An answer may be missing in the truth only where a server was killed before it could write it.
func TestUnprovenOnlyNearAKill(t *testing.T) {
	const ms = 1_000_000
	r := &run{kills: []int64{5000 * ms}}
	for _, tt := range []struct {
		sent, end int64
		near      bool
	}{{4900, 4990, true}, {4900, 5020, true}, {4700, 4800, false}, {5001, 5100, false}} {
		if got := r.killedNear(tt.sent*ms, tt.end*ms); got != tt.near {
			t.Errorf("sent at %d ms, ended at %d ms: %v", tt.sent, tt.end, got)
		}
	}
}

// The printed verdict must be INVALID and have the number, wherever its lines are broken.
func TestVerdictNamesTheFailures(t *testing.T) {
	for text, wrong := range map[string]bool{
		"--- Verdict ---\nINVALID: w\n  invalid, restart: x\n    effect: y; 3 of\n      10 requests failed (3 reset)\n": false,
		"--- Verdict ---\nINVALID: w\n  invalid, outcomes: 3 of 10 requests failed (3 reset)\n":                         false,
		"--- Verdict ---\nSUSPECT: w\n  suspect, outcomes: 3 of 10 requests failed (3 reset)\n":                         true,
		"--- Verdict ---\nINVALID: w\n  invalid, restart: x\n":                                                          true,
		"--- Verdict ---\nINVALID: w\n  invalid, outcomes: 2 of 10 requests failed (2 reset)\n":                         true,
		"3 of 10 requests failed (3 reset)\n--- Verdict ---\nINVALID: w\n  invalid, restart: the start time changed\n":  true,
	} {
		r := &run{folder: t.TempDir()}
		if err := os.WriteFile(filepath.Join(r.folder, "output.txt"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		c := &count{requests: 10, outcomes: map[journal.Outcome]int{journal.Complete: 6, journal.Reset: 3, journal.Cancelled: 1}}
		if c.verdict(r); (len(c.wrong) > 0) != wrong {
			t.Errorf("%q: %q", text, c.wrong)
		}
	}
}
