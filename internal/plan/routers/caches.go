package routers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/judge/routing"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/target"
)

// Caches are those of the replicas of one point.
type Caches struct {
	At       func(address string) *target.Target
	URLs     []string // of the replicas themselves: through a router a reset may reach one of them
	Paths    []string // that empty a cache; none: those that its kind has
	Fresh    bool     // they were just started
	Settings *Settings
	Patience time.Duration // for a replica to come to rest; 0: half a minute

	before []map[serving.Meaning]float64
}

// rest is what a replica gets to end what it works on.
const rest = 30 * time.Second

// Empty empties the cache of each replica by its own address and looks whether it is empty.
func (c *Caches) Empty(ctx context.Context) ([]routing.Cache, error) {
	list := make([]routing.Cache, len(c.URLs))
	c.before = make([]map[serving.Meaning]float64, len(c.URLs))
	err := c.each(func(i int) (err error) {
		list[i], c.before[i], err = c.empty(ctx, c.URLs[i])
		return err
	})
	return list, err
}

// atOnce is how many replicas are spoken to at a time.
const atOnce = 32

// each does something for each replica, side by side.
func (c *Caches) each(do func(i int) error) error {
	errs := make([]error, len(c.URLs))
	var all sync.WaitGroup
	turn := make(chan struct{}, atOnce)
	for i := range c.URLs {
		turn <- struct{}{}
		all.Go(func() {
			errs[i] = do(i)
			<-turn
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func (c *Caches) empty(ctx context.Context, address string) (out routing.Cache, values map[serving.Meaning]float64, err error) {
	t := c.At(address)
	kind := t.Identify(ctx).Kind
	t.Kind = kind
	out = routing.Cache{URL: address, Kind: kind}
	if values, err = c.settled(ctx, t, &out, false); err != nil {
		return out, nil, err
	}
	switch {
	case c.Settings.Empty == Leave:
	case c.Fresh && c.Settings.Empty == Restart:
		out.Emptied = "start"
	default:
		if out.Emptied, err = c.reset(ctx, t, kind); err != nil && c.Fresh {
			out.Emptied = "start"
		} else if err != nil {
			return out, nil, fmt.Errorf("the cache of %s can't be emptied: %w; %s", address, err, hint(kind))
		}
		if values, err = c.settled(ctx, t, &out, true); err != nil {
			return out, nil, err
		}
	}
	c.Settings.given(&out)
	return out, values, nil
}

// settled waits until a replica serves nobody, and, if asked to, until its cache is empty; it reads what the replica says of itself.
func (c *Caches) settled(ctx context.Context, t *target.Target, out *routing.Cache, empty bool) (map[serving.Meaning]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Patience, rest))
	defer cancel()
	for {
		metrics, err := t.Metrics(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("%s does not answer: %w", t.Base, err)
			}
			return nil, nil // it has no metrics: what it holds is seen by what its answers find
		}
		values := describe(metrics, out)
		busy := values[serving.Running] + values[serving.Waiting] + values[serving.InFlight]
		use := 0.0
		if out.Use != nil {
			use = *out.Use
		}
		if busy == 0 && (!empty || use <= rested) {
			return values, nil
		}
		select {
		case <-ctx.Done():
			if busy > 0 {
				return nil, fmt.Errorf("%s still serves %.0f requests, which are not ours: wait until they have ended", t.Base, busy)
			}
			return values, nil // said by the check, with its figure
		case <-time.After(pause):
		}
	}
}

// rested is the share of a cache that may be in use while nobody is served, and pause how long it is until the next look.
const (
	rested = 0.02
	pause  = 100 * time.Millisecond
)

// describe reads what a replica says of its cache.
func describe(m target.Metrics, out *routing.Cache) map[serving.Meaning]float64 {
	counters := map[string]float64{}
	out.Blocks = 0
	for i := range m {
		s := &m[i]
		if s.Sane() {
			counters[s.Name] += s.Value
		}
		if strings.HasSuffix(s.Name, "cache_config_info") {
			out.Blocks, out.BlockSize = out.Blocks+whole(s.Label("num_gpu_blocks")), whole(s.Label("block_size")) // a line for each engine
			override := s.Label("num_gpu_blocks_override")
			out.Set = override != "" && override != "None"
		}
	}
	values := serving.Values(counters)
	out.Use, out.Running = of(values, serving.CacheUse), of(values, serving.Running)
	return values
}

// whole reads a number of a label; 0: it is none, or no sane one.
func whole(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > 1<<32 {
		return 0
	}
	return n
}

func of(values map[serving.Meaning]float64, m serving.Meaning) *float64 {
	v, ok := values[m]
	if !ok {
		return nil
	}
	return &v
}

// reset asks a replica to empty its cache, and says by which path it did.
func (c *Caches) reset(ctx context.Context, t *target.Target, kind string) (path string, err error) {
	paths := c.Paths
	if len(paths) == 0 {
		switch kind {
		case target.LlamaCPP:
			slots, _ := t.Slots(ctx)
			for i := range slots {
				if err := t.Post(ctx, "/slots/"+strconv.Itoa(i)+"?action=erase"); err != nil {
					return "", err
				}
			}
			if slots == 0 {
				return "", errors.New("it does not say how many slots it has")
			}
			return "/slots", nil
		case target.SGLang:
			paths = []string{"/flush_cache"}
		default:
			for _, path := range []string{"/reset_prefix_cache", "/flush_cache"} {
				if err = t.Post(ctx, path); err == nil {
					return path, nil
				}
			}
			return "", err
		}
	}
	for _, path := range paths {
		if err := t.Post(ctx, path); err != nil {
			return "", err
		}
	}
	return strings.Join(paths, " "), nil
}

// Grown adds what the replicas counted since they were emptied. What they do not say stays unknown.
func (c *Caches) Grown(ctx context.Context, list []routing.Cache) {
	_ = c.each(func(i int) error {
		var now routing.Cache
		t := c.At(c.URLs[i])
		t.Kind = list[i].Kind
		values, err := c.settled(ctx, t, &now, false)
		if err != nil || values == nil || c.before[i] == nil {
			return nil
		}
		grown := func(m serving.Meaning) *float64 {
			was, has := c.before[i][m]
			is, still := values[m]
			if !still || has && is < was { // it was started again
				return nil
			}
			return new(is - was)
		}
		list[i].Queries, list[i].Found, list[i].Finished = grown(serving.PrefixQueries), grown(serving.PrefixHits), grown(serving.Finished)
		return nil
	})
}
