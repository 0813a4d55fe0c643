package routing

import (
	"math"
	"math/rand/v2"
	"testing"
)

// randomPlays are prompts with prefixes of random lengths, and conversations.
func randomPlays(r *rand.Rand) *plays {
	c := &Collector{}
	prefixes, talks := 1+r.IntN(6), r.IntN(4)
	lengths := make([]int32, prefixes)
	for i := range lengths {
		lengths[i] = int32(4 * (1 + r.IntN(5)))
	}
	begun := make([]bool, prefixes)
	spoken := make([]int32, talks)
	for i := range 2 + r.IntN(40) {
		n := request{sent: int64(i), measured: true, planned: true, cached: -1}
		if talks > 0 && r.IntN(3) == 0 {
			k := r.IntN(talks)
			n.talk, n.shared = int32(k+1), spoken[k]
			n.prompt, n.output = spoken[k]+int32(4*(1+r.IntN(3))), 4
			spoken[k] = n.prompt + n.output
		} else {
			k := r.IntN(prefixes)
			n.prefix, n.prompt, n.output = int32(k+1), lengths[k]+int32(1+r.IntN(8)), int32(r.IntN(5))
			if begun[k] {
				n.shared = lengths[k]
			}
			begun[k] = true
		}
		c.list = append(c.list, n)
	}
	p, known := c.plays(4)
	if !known || !p.whose {
		panic("the plan says who shares with whom")
	}
	return p
}

// TestBoundHolds: whatever routing over caches of any sizes, it never finds more than the bound says, and the bound never
// passes what a cache without bounds finds. With one replica that has room for all, all three are the same.
func TestBoundHolds(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 30))
		p := randomPlays(r)
		sizes := make([]int64, 1+r.IntN(4))
		all := int64(0)
		for i := range sizes {
			sizes[i] = int64(1 + r.IntN(30))
			all += sizes[i]
		}
		caches := make([]*lru, len(sizes))
		for i := range caches {
			caches[i] = newLRU(sizes[i])
		}
		routed := int64(0)
		for i := range p.each {
			cache := caches[r.IntN(len(caches))]
			routed += int64(p.each[i].free + cache.has(&p.each[i]))
			cache.add(&p.each[i])
			if cache.held > cache.room {
				t.Fatalf("seed %d: a cache of %d holds %d", seed, cache.room, cache.held)
			}
		}
		unlimited, bound, reached := total(p.best(math.MaxInt64)), total(p.best(all)), total(p.reach(len(sizes), sizes))
		if routed > bound || reached > bound || bound > unlimited {
			t.Fatalf("seed %d: random %d, reached %d, bound %d, unlimited %d", seed, routed, reached, bound, unlimited)
		}
		if wide := total(p.reach(1, []int64{1 << 30})); wide != unlimited {
			t.Fatalf("seed %d: one cache with room for all reaches %d, unlimited is %d", seed, wide, unlimited)
		}
	}
}

// TestBoundIsReached: the bound is no higher than it must be. On small workloads of prefixes it is what the best of all ways of
// keeping blocks finds, tried one by one.
func TestBoundIsReached(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 31))
		p := &plays{whose: true}
		seen := map[int32]bool{}
		for range 2 + r.IntN(7) {
			k := int32(1 + r.IntN(3))
			one := play{pieces: [2]shared{{use{prefix: k}, 0, 1}}, rest: 1}
			if seen[k] {
				one.pieces[0].need = 1
			}
			seen[k] = true
			p.each = append(p.each, one)
		}
		room := 1 + r.IntN(2)
		if got, want := total(p.best(int64(room))), bestOfAll(p, 0, nil, room); got != want {
			t.Fatalf("seed %d: bound %d, the best of all ways finds %d in %d blocks: %+v", seed, got, want, room, p.each)
		}
	}
}

// bestOfAll tries all sets of pieces, of one block each, that may be kept after each request.
func bestOfAll(p *plays, i int, held []use, room int) int64 {
	if i == len(p.each) {
		return 0
	}
	one, found := p.each[i].pieces[0], int64(0)
	for _, h := range held {
		if h == one.use {
			found = int64(one.need)
		}
	}
	choices := append([]use{one.use}, held...)
	best := int64(0)
	for mask := range 1 << len(choices) {
		var kept []use
		twice := false
		for k, c := range choices {
			if mask>>k&1 == 1 {
				for _, o := range kept {
					twice = twice || o == c
				}
				kept = append(kept, c)
			}
		}
		if len(kept) <= room && !twice {
			best = max(best, bestOfAll(p, i+1, kept, room))
		}
	}
	return found + best
}

func BenchmarkMillion(b *testing.B) {
	c := &Collector{}
	r := rand.New(rand.NewPCG(1, 1))
	begun := make([]bool, 2000)
	for i := range 1_000_000 {
		k := r.IntN(len(begun))
		n := request{sent: int64(i), measured: true, planned: true, prefix: int32(k + 1), prompt: 2300, output: 100, cached: 0}
		if begun[k] {
			n.shared = 2000
		}
		begun[k] = true
		c.list = append(c.list, n)
	}
	for b.Loop() {
		p, _ := c.plays(16)
		sizes := []int64{20000, 20000, 20000, 20000, 20000, 20000, 20000, 20000}
		b.ReportMetric(float64(total(p.best(160000)))/1e6, "Mblocks-bound")
		b.ReportMetric(float64(total(p.reach(8, sizes)))/1e6, "Mblocks-reached")
	}
}
