package sim

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/engine"
)

func TestParseFaults(t *testing.T) {
	const all = "truncate=0.05,error-event=0.05,http-500=0.02,http-429=0.02,reset=0.02,stall=0.01,short=0.05,empty=0.01,slow-headers=0.01"
	f, err := ParseFaults(all)
	if err != nil || f.String() != all {
		t.Errorf("%v, %v", f, err)
	}
	for in, word := range map[string]string{
		"truncate": "no share", "truncate=x": "not a number", "truncate=2": "from 0 to 1", "truncate=NaN": "from 0 to 1",
		"truncat=0.1": "unknown", "reset=0.1,reset=0.2": "twice", "reset=0.6,stall=0.6": "add up",
	} {
		if _, err := ParseFaults(in); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v, want %q", in, err, word)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for word, change := range map[string]func(*Config){
		"engine":                 func(c *Config) { c.Engine = "magic" },
		"tokens-per-chunk":       func(c *Config) { c.TokensPerChunk = 0 },
		"max-model-len":          func(c *Config) { c.MaxModelLen = 0 },
		"model is empty":         func(c *Config) { c.Model = "" },
		"stall":                  func(c *Config) { c.Stall = -1 },
		"eos":                    func(c *Config) { c.EOS = 1.5 },
		"fault":                  func(c *Config) { c.Faults = Faults{"x": 1} },
		"the change at":          func(c *Config) { c.Changes = []engine.Change{{After: 1}} },
		"framing":                func(c *Config) { c.Framing = dialect.FrameSplit | dialect.FrameMerge },
		"num-blocks":             func(c *Config) { c.Engine, c.Batch.NumBlocks = EngineBatch, 3 },
		"max-num-batched-tokens": func(c *Config) { c.Engine, c.Batch.MaxNumBatchedTokens = EngineBatch, 0 },
		"spec-acceptance":        func(c *Config) { c.Engine, c.Batch.SpecAcceptance = EngineBatch, 2 },
		"no time":                func(c *Config) { c.Engine, c.Batch.Base, c.Batch.PerSequence = EngineBatch, 0, 0 },
	} {
		cfg := DefaultConfig()
		change(&cfg)
		if s, err := New(cfg, nil); err == nil {
			s.Close()
			t.Errorf("%s: no error", word)
		} else if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not name %q", err, word)
		}
	}
}

func FuzzParseFaults(f *testing.F) {
	f.Add("truncate=0.05,reset=0.1")
	f.Add("=,==,stall=1e-3")
	f.Fuzz(func(t *testing.T, s string) {
		faults, err := ParseFaults(s)
		if err != nil {
			return
		}
		if again, err := ParseFaults(faults.String()); err != nil || again.String() != faults.String() {
			t.Errorf("%q gives %q, which gives %q, %v", s, faults, again, err)
		}
	})
}
