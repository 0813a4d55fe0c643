package router

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/sim/engine"
)

// replica is a server behind the router, and what the router knows of it.
type replica struct {
	Replica
	number int
	slots  chan struct{} // of --queue; nil: without a bound
	sent   atomic.Uint64 // requests
	active atomic.Int64  // requests that were given to it, waiting ones too
	queued atomic.Int64  // those that wait for a slot
	missed atomic.Int64  // tokens of prompts that it was believed not to have

	mu      sync.Mutex
	down    bool
	emptied bool // it went away: what it held is gone when it comes back
	known   bool // its metrics have been read
	cache   *engine.Counted
	size    int // tokens of a block
}

func newReplica(r Replica, number int, c *Config) *replica {
	p := &replica{Replica: r, number: number, size: c.BlockSize}
	if c.Queue > 0 {
		p.slots = make(chan struct{}, c.Queue)
	}
	if p.size == 0 {
		p.size = defaultBlock
	}
	p.cache = engine.NewCounted(p.size, c.NumBlocks)
	return p
}

const defaultBlock = 16

func (p *replica) healthy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.down
}

// fails takes a replica out that could not be reached.
func (p *replica) fails() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.emptied = true, true
}

// memory is the model of its cache, and the size of its blocks.
func (p *replica) memory() (*engine.Counted, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cache, p.size
}

// watch looks at each replica's health until the router is closed.
func (rt *Router) watch(p *replica) {
	tick := time.NewTicker(rt.cfg.HealthEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			rt.look(p)
		case <-rt.ctx.Done():
			return
		}
	}
}

// look asks a replica for its health, and the first time how large its cache is.
func (rt *Router) look(p *replica) {
	ctx, cancel := context.WithTimeout(rt.ctx, rt.cfg.HealthEvery)
	defer cancel()
	status, _, err := rt.get(ctx, p, "/health")
	p.mu.Lock()
	if p.down = err != nil || status != http.StatusOK; p.down && err != nil && ctx.Err() == nil {
		p.emptied = true // nobody is listening there: the process is gone, and its cache
	}
	if !p.down && p.emptied {
		p.emptied = false
		p.cache.Reset()
	}
	ask := !p.down && !p.known && rt.cfg.Policy == Oracle && rt.cfg.BlockSize == 0
	p.mu.Unlock()
	if !ask {
		return
	}
	status, text, err := rt.get(ctx, p, "/metrics")
	if err != nil || status != http.StatusOK {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = true
	if size, blocks := cacheOf(text); size > 0 {
		p.size, p.cache = size, engine.NewCounted(size, blocks)
	}
}

// maxText bounds what is read of a replica's metrics.
const maxText = 8 << 20

func (rt *Router) get(ctx context.Context, p *replica, path string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+path, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := rt.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxText))
	return resp.StatusCode, string(text), err
}

// cacheOf finds the size of a block and the number of blocks in vLLM's metrics; 0: not told.
func cacheOf(text string) (size, blocks int) {
	for line := range strings.Lines(text) {
		labels, ok := strings.CutPrefix(line, "vllm:cache_config_info{")
		if !ok {
			continue
		}
		return labelNumber(labels, "block_size"), labelNumber(labels, "num_gpu_blocks")
	}
	return 0, 0
}

// maxBlocks bounds the model of a cache.
const maxBlocks = 1 << 21

func labelNumber(labels, name string) int {
	_, rest, ok := strings.Cut(","+labels, ","+name+`="`)
	text, _, closed := strings.Cut(rest, `"`)
	n, err := strconv.Atoi(text)
	if !ok || !closed || err != nil || n < 0 || n > maxBlocks {
		return 0
	}
	return n
}
