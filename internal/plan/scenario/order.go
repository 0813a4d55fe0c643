package scenario

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// arrange puts points in the order in which they are run. To change servers costs
// a restart, so the points of one server always stand together within a round.
//
//	sequential   one round: server by server, the repeats of a point one after the other
//	interleaved  a round for each repeat; every other round goes backwards, so that a
//	             steady drift hits all alike and the server at the turn stays up
//	random       a round for each repeat, servers and points within it shuffled by the seed
//
// Servers that need no start cost no restart: all of them count as one, and in an
// interleaved round the same point is run against each before the next point.
func arrange(points []*Point, order string, seed int64) {
	rank := map[string]int{}
	for _, p := range points {
		if _, ok := rank[p.group(order)]; !ok {
			rank[p.group(order)] = len(rank)
		}
	}
	if order == Random {
		arrangeRandom(points, rank, seed)
		return
	}
	slices.SortStableFunc(points, func(a, b *Point) int {
		if order != Interleaved {
			return cmp.Or(cmp.Compare(rank[a.group(order)], rank[b.group(order)]), cmp.Compare(a.place, b.place))
		}
		if c := cmp.Compare(a.Repeat, b.Repeat); c != 0 {
			return c
		}
		c := cmp.Or(cmp.Compare(rank[a.group(order)], rank[b.group(order)]), cmp.Compare(a.number, b.number), cmp.Compare(a.place, b.place))
		if a.Repeat%2 == 0 {
			return -c
		}
		return c
	})
}

// group is what stands together: one server that is started, or, unless one is
// done after the other, all that are up already.
func (p *Point) group(order string) string {
	if p.target.started() || order != Interleaved && order != Random {
		return p.server
	}
	return ""
}

func arrangeRandom(points []*Point, rank map[string]int, seed int64) {
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	random.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	rounds := map[int][]int{} // of each repeat: where each group stands
	slices.SortStableFunc(points, func(a, b *Point) int {
		if c := cmp.Compare(a.Repeat, b.Repeat); c != 0 {
			return c
		}
		places, ok := rounds[a.Repeat]
		if !ok {
			places = rand.New(rand.NewPCG(uint64(seed), uint64(a.Repeat)+1)).Perm(len(rank))
			rounds[a.Repeat] = places
		}
		return cmp.Compare(places[rank[a.group(Random)]], places[rank[b.group(Random)]])
	})
}
