// Package replica tells the servers of a run apart by who answered each request: the addresses that the run sends to,
// or the servers behind a router. It also says how evenly they were loaded, and whether requests that belong together
// went to the same one.
package replica

import (
	"net/url"

	"github.com/inferometer/inferometer/internal/journal"
)

// Max is how many replicas stand by themselves. Names come from outside: what lies beyond is counted together.
const Max = 256

// What is no replica by itself.
const (
	Unknown = -1 // nobody said who it was
	Others  = -2 // one of those beyond Max
)

// Replica is one server of a run.
type Replica struct {
	Name   string       // what answers, the router or the user call it, else its address
	URL    string       // its own address; empty: not known
	Role   journal.Role // the part of a request that it works on
	Target int          // its place in Run.Targets, from 1, where it is an address that we send to; 0: it is behind one
	Listed int          // its place in Run.Replicas, from 1; 0: it is not listed there
}

// Names numbers the replicas of a run as its requests come. Requests that say who answered go by that, others by the address
// that they were sent to where the run has several. An address at which more than one name was seen is a router, and no replica.
type Names struct {
	run  *journal.Run
	list []Replica
	at   map[string]int // by name, and by address
	// Of each of several addresses: whether a router is there, and the name that stands for it so far.
	router []bool
	named  []string
	others bool
}

// NewNames begins with those that are known before the load: they may get nothing at all.
func NewNames(run *journal.Run) *Names {
	n := &Names{run: run, at: map[string]int{}}
	if len(run.Targets) > 1 {
		n.router, n.named = make([]bool, len(run.Targets)), make([]string, len(run.Targets))
		for i := range run.Targets {
			n.add(Replica{Name: run.Targets[i].URL, URL: run.Targets[i].URL, Target: i + 1})
			n.router[i] = run.RouterAt(i) != nil
		}
	}
	for i := range run.Replicas {
		known := &run.Replicas[i]
		one := Replica{Name: known.Name, URL: known.URL, Role: known.Role, Listed: i + 1}
		at, ok := n.find(known.URL)
		switch {
		case ok && n.list[at].Listed == 0: // the address that we send to is the replica itself
			one.Target = n.list[at].Target
			n.list[at] = one
			n.at[known.Name] = at
			continue
		case known.Target < len(n.router) && known.Target >= 0:
			n.router[known.Target] = true
		}
		n.add(one)
	}
	return n
}

// add gives a replica its number; Others where there are too many.
func (n *Names) add(r Replica) int {
	if len(n.list) >= Max {
		n.others = true
		return Others
	}
	at := len(n.list)
	n.list = append(n.list, r)
	for _, key := range []string{r.Name, hostPort(r.URL)} {
		if _, taken := n.at[key]; !taken && key != "" {
			n.at[key] = at
		}
	}
	return at
}

// find is the number of a name, or of the address that it is.
func (n *Names) find(name string) (int, bool) {
	if at, ok := n.at[name]; ok {
		return at, true
	}
	at, ok := n.at[hostPort(name)]
	return at, ok
}

// hostPort is what two addresses of the same server have in common; empty: it is none.
func hostPort(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Host
}

// Of is the number of the replica that answered a request.
func (n *Names) Of(r *journal.Request) int {
	several := r.Target >= 0 && r.Target < len(n.router)
	if r.Replica == "" {
		switch {
		case !several || n.router[r.Target]:
			return Unknown
		case r.Target >= Max:
			return Others
		}
		return r.Target
	}
	if several && !n.router[r.Target] && r.Target < Max {
		if at, ok := n.own(r); ok {
			return at
		}
	}
	if at, ok := n.find(r.Replica); ok {
		return at
	}
	return n.add(Replica{Name: r.Replica})
}

// own is the number of an address that answers by a name: its own, until it gives a second one.
func (n *Names) own(r *journal.Request) (int, bool) {
	at, known := n.find(r.Replica)
	switch {
	case n.named[r.Target] == r.Replica, known && at == r.Target:
		return r.Target, true
	case known || n.named[r.Target] != "": // of another address, or a second name: this one is a router
		n.router[r.Target] = true
		return 0, false
	}
	n.named[r.Target] = r.Replica
	n.at[r.Replica] = r.Target
	n.list[r.Target].Name = r.Replica
	return r.Target, true
}

// Prefiller is the number of the replica that computed the prompt, where that is another; Unknown: it is not.
func (n *Names) Prefiller(r *journal.Request) int {
	if r.Prefiller == "" || r.Prefiller == r.Replica {
		return Unknown
	}
	if at, ok := n.find(r.Prefiller); ok {
		return at
	}
	return n.add(Replica{Name: r.Prefiller, Role: journal.Prefill})
}

// Len is how many stand by themselves so far.
func (n *Names) Len() int { return len(n.list) }

// At is one of them.
func (n *Names) At(i int) *Replica { return &n.list[i] }

// Router says that a number is that of an address behind which others answered: no replica of its own.
func (n *Names) Router(i int) bool { return i < len(n.router) && n.router[i] && n.named[i] == "" }

// Name is what a number is called.
func (n *Names) Name(i int) string {
	switch {
	case i == Others:
		return "others"
	case i < 0 || i >= len(n.list):
		return "not known"
	}
	return n.list[i].Name
}
