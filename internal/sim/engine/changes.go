package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Change makes a server slower or faster from a moment on.
type Change struct {
	After time.Duration // since the first request
	Times float64       // every wait that begins from then on takes as many times as long as was asked for
}

// ParseChanges reads changes such as "5s=3,10s=1", in the order of their moments.
func ParseChanges(s string) ([]Change, error) {
	var out []Change
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		after, times, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%q has no factor; write 5s=3 for three times as slow from 5 s on", part)
		}
		c := Change{}
		var err error
		if c.After, err = time.ParseDuration(after); err != nil {
			return nil, fmt.Errorf("%q: %q is not a duration such as 5s", part, after)
		}
		if c.Times, err = strconv.ParseFloat(times, 64); err != nil {
			return nil, fmt.Errorf("%q: %q is not a number such as 3 or 0.5", part, times)
		}
		out = append(out, c)
	}
	return out, ValidateChanges(out)
}

// ValidateChanges says what is wrong with them.
func ValidateChanges(list []Change) error {
	before := time.Duration(-1)
	for _, c := range list {
		switch {
		case c.After < 0:
			return fmt.Errorf("a change is at %v, before the first request; give 0s or more", c.After)
		case !(c.Times > 0) || math.IsInf(c.Times, 1):
			return fmt.Errorf("the change at %v makes waits %v times as long; give a number above 0", c.After, c.Times)
		case c.After <= before:
			return errors.New("the changes are not in the order of their moments; give each moment once, the earliest first")
		}
		before = c.After
	}
	return nil
}

// Changes are those of one server, whose first request begins their clock. Nil has none.
type Changes struct {
	list  []Change
	first atomic.Int64 // when the first request came, in the engine's time; 0: none did
}

// NewChanges takes valid changes.
func NewChanges(list []Change) *Changes {
	return &Changes{list: slices.Clone(list)}
}

// Wait is how long a wait takes that begins at a time, in nanoseconds since the engine's zero, and that is planned to
// take d. A wait under way stays as it was: requests in flight feel a change with their next token.
func (c *Changes) Wait(at int64, d time.Duration) int64 {
	if c == nil || len(c.list) == 0 {
		return int64(d)
	}
	c.first.CompareAndSwap(0, max(at, 1))
	times := 1.0
	for _, change := range c.list {
		if at-c.first.Load() >= int64(change.After) {
			times = change.Times
		}
	}
	return int64(min(times*float64(d), float64(math.MaxInt64/2)))
}
