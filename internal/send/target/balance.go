package target

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/inferometer/inferometer/internal/option"
)

// Balancer chooses one of several servers for each request. Whoever uses it takes
// care that one call ends before the next begins.
type Balancer interface {
	// Pick chooses the server of a request that is about to be sent; key is its
	// StickyKey, which only some rules look at.
	Pick(key uint64) int
	// Done says that a request to this server has ended.
	Done(server int)
}

// The rules of balance.
const (
	RoundRobin    = "round-robin"
	LeastInFlight = "least-in-flight"
	Sticky        = "sticky"
)

// Balance is a rule that can be chosen.
type Balance struct {
	Name string
	Doc  string // where a request goes, as part of a sentence
	New  func(servers int) Balancer
}

// balances is the one place where a rule is listed.
var balances = option.NewTable("balance", func(b Balance) string { return b.Name },
	Balance{RoundRobin, "to one server after the other", func(n int) Balancer { return &roundRobin{n: n} }},
	Balance{LeastInFlight, "to the one with the fewest requests in flight", func(n int) Balancer { return &leastInFlight{inFlight: make([]int, n)} }},
	Balance{Sticky, "to the same server as others with the same beginning of the prompt", func(n int) Balancer { return sticky(n) }},
)

// AddBalance puts a rule into the table for the rest of the process. It is for an init function, of a test's program: nobody
// has looked at the table before.
func AddBalance(b Balance) { balances = balances.With(b) }

// Rules lists the rules in the order of the table.
func Rules() []Balance { return balances.All() }

// Balances lists the rules by their names.
func Balances() []string { return balances.Names() }

// NewBalancer makes a rule over n servers.
func NewBalancer(rule string, n int) (Balancer, error) {
	b, err := balances.Find(rule)
	if err != nil {
		return nil, err
	}
	return b.New(n), nil
}

type roundRobin struct{ n, next int }

func (b *roundRobin) Pick(uint64) int {
	i := b.next
	b.next = (i + 1) % b.n
	return i
}

func (*roundRobin) Done(int) {}

// leastInFlight goes round among equals: if the first of them were always taken, an
// idle set of servers would be one server.
type leastInFlight struct {
	inFlight []int
	next     int
}

func (b *leastInFlight) Pick(uint64) int {
	best := b.next
	for k := range b.inFlight {
		if i := (b.next + k) % len(b.inFlight); b.inFlight[i] < b.inFlight[best] {
			best = i
		}
	}
	b.inFlight[best]++
	b.next = (best + 1) % len(b.inFlight)
	return best
}

func (b *leastInFlight) Done(server int) { b.inFlight[server]-- }

// sticky is the number of servers: the key alone decides, so that another run with
// the same servers sends a conversation to the same one.
type sticky int

func (n sticky) Pick(key uint64) int { return int(key % uint64(n)) }

func (sticky) Done(int) {}

// StickyBytes is how much of a prompt makes its StickyKey: enough to tell
// conversations and shared prefixes apart, and short enough to be the same for
// all turns of one.
const StickyBytes = 256

// StickyKey is the hash of a prompt's beginning.
func StickyKey(prompt string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(prompt[:min(len(prompt), StickyBytes)])) // never fails
	return spread(h.Sum64())
}

// ConversationKey is the key of a conversation: all its turns have the same, whatever
// their prompts begin with.
func ConversationKey(number int) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(number))) // never fails
	return spread(h.Sum64())
}

// spread mixes the low bits, by which a server is chosen, from all of them.
func spread(sum uint64) uint64 { return sum ^ sum>>32 }
