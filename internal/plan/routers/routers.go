// Package routers is what makes a scenario a comparison of routers: the caches of all replicas are emptied before each point and seen
// empty, what they counted is read after it, and the point's journal becomes the facts that package routing judges.
package routers

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/routing"
)

// Settings are the keys of a scenario's section routers.
type Settings struct {
	Control     *bool  `yaml:"control"`      // also run each point with prompts that share nothing; yes unless given
	Closed      string `yaml:"closed"`       // accepted: compare in a closed loop, and say so
	Empty       string `yaml:"empty"`        // how caches are emptied before each point; reset unless given
	CacheTokens int    `yaml:"cache_tokens"` // that each replica's cache holds, where it does not say
	BlockSize   int    `yaml:"block_size"`   // of it, in tokens
}

// How caches are emptied.
const (
	Reset   = "reset"   // each replica is asked to
	Restart = "restart" // the servers are started anew
	Leave   = "no"
)

// Accepted is what allows a closed loop.
const Accepted = "accepted"

// Check says what is wrong with the section, and at which key.
func (s *Settings) Check() (key string, err error) {
	switch {
	case s.Closed != "" && s.Closed != Accepted:
		return "closed", fmt.Errorf("must be %s or left out, not %q", Accepted, s.Closed)
	case s.Empty != "" && !slices.Contains([]string{Reset, Restart, Leave}, s.Empty):
		return "empty", fmt.Errorf("must be %s, %s or %s, not %q", Reset, Restart, Leave, s.Empty)
	case s.CacheTokens < 0 || s.CacheTokens > 1<<40:
		return "cache_tokens", fmt.Errorf("must be a number of tokens, not %d", s.CacheTokens)
	case s.BlockSize < 0 || s.BlockSize > 1<<20:
		return "block_size", fmt.Errorf("must be a number of tokens, not %d", s.BlockSize)
	case s.CacheTokens > 0 && s.CacheTokens < s.BlockSize:
		return "cache_tokens", fmt.Errorf("must hold a block of %d tokens, and %d is less", s.BlockSize, s.CacheTokens)
	}
	return "", nil
}

// Empties says whether caches are emptied before each point. Without the section they are not.
func (s *Settings) Empties() bool { return s != nil && s.Empty != Leave }

// Restarts says whether that is done by starting the servers anew.
func (s *Settings) Restarts() bool { return s != nil && s.Empty == Restart }

// Controlled says whether each point is also run with prompts that share nothing.
func (s *Settings) Controlled() bool { return s.Control == nil || *s.Control }

// MinRepeats is how many repeats tell a difference from noise.
const MinRepeats = 3

// Repeats is how often each point is run where the file does not say: each router is first, second… equally often.
func Repeats(routers int) int {
	routers = max(routers, 1)
	return (MinRepeats + routers - 1) / routers * routers
}

// Unshare are the keys of a workload that make its prompts share nothing, at the same lengths. get gives a key's value as a number,
// and false where the file does not set it.
func Unshare(dataset string, get func(key string) (int, bool)) (set map[string]int, err error) {
	or := func(key string, usual int) int {
		if n, ok := get(key); ok {
			return n
		}
		return usual
	}
	switch dataset {
	case "prefix_repetition":
		n, ok := get("num_prompts")
		if !ok {
			return nil, errors.New("needs workload.num_prompts: each prompt gets a prefix of its own")
		}
		return map[string]int{"num_prefixes": n}, nil
	case "", "random":
		if prefix, ok := get("prefix_len"); ok && prefix > 0 {
			return map[string]int{"prefix_len": 0, "input_len": or("input_len", usualInput) + prefix}, nil
		}
	}
	return nil, errors.New("needs a workload of which it is known how to share nothing: prefix_repetition, or random with prefix_len; " +
		"set routers.control: false to go without")
}

// usualInput is the length of a random prompt.
const usualInput = 1024

// Read turns the journal of a run's folder into facts.
func Read(folder string, caches []routing.Cache) (*routing.Facts, error) {
	r, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := routing.NewCollector(r.Run(), caches)
	for {
		req, err := r.Next()
		if errors.Is(err, io.EOF) {
			return c.Facts(), nil
		}
		if err != nil {
			return nil, err
		}
		c.Add(req)
	}
}

// given puts what the file says of caches in place of what they do not say.
func (s *Settings) given(c *routing.Cache) {
	if s.BlockSize > 0 && c.BlockSize == 0 {
		c.BlockSize = s.BlockSize
	}
	if s.CacheTokens > 0 && c.Blocks == 0 {
		c.BlockSize = max(c.BlockSize, 1)
		c.Blocks = s.CacheTokens / c.BlockSize
	}
}

// hint is what a user can do about a cache that can't be emptied.
func hint(kind string) string {
	if strings.EqualFold(kind, "vLLM") {
		return "start vLLM with VLLM_SERVER_DEV_MODE=1, or set routers.empty: restart"
	}
	return "name its path with reset_cache, or set routers.empty: restart"
}
