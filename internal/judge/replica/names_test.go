package replica

import (
	"fmt"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// of numbers requests given as target and name, and says what each is called.
func of(n *Names, requests ...journal.Request) (list []string) {
	for i := range requests {
		list = append(list, n.Name(n.Of(&requests[i])))
	}
	return list
}

func TestNames(t *testing.T) {
	to := func(target int, name string) journal.Request { return journal.Request{Target: target, Replica: name} }
	two := []journal.Target{{URL: "http://a:1"}, {URL: "http://b:1"}}
	for _, tt := range []struct {
		name string
		run  journal.Run
		sent []journal.Request
		want []string
		rows int
	}{
		{"one server that says nothing", journal.Run{}, []journal.Request{to(0, ""), to(0, "")}, []string{"not known", "not known"}, 0},
		{"a router that tells", journal.Run{}, []journal.Request{to(0, "r1"), to(0, ""), to(0, "r2"), to(0, "r1")}, []string{"r1", "not known", "r2", "r1"}, 2},
		{"addresses of our own", journal.Run{Targets: two}, []journal.Request{to(0, ""), to(1, "")}, []string{"http://a:1", "http://b:1"}, 2},
		{
			"addresses that have names: a failure without one is still theirs",
			journal.Run{Targets: two},
			[]journal.Request{to(0, "r1"), to(1, ""), to(1, "r2"), to(0, "")},
			[]string{"r1", "http://b:1", "r2", "r1"},
			2,
		},
		{
			"two routers before the same replicas",
			journal.Run{Targets: two},
			[]journal.Request{to(0, "r1"), to(1, "r1"), to(1, "r2"), to(0, "r2"), to(0, ""), to(1, "")},
			[]string{"r1", "r1", "r2", "r2", "not known", "not known"},
			3,
		},
		{
			"listed ones, joined by their address",
			journal.Run{Replicas: []journal.Replica{{Name: "h:1", URL: "http://h:1"}, {Name: "h:2", URL: "http://h:2/v1"}}},
			[]journal.Request{to(0, "http://h:2"), to(0, "http://h:3")},
			[]string{"h:2", "http://h:3"},
			3,
		},
		{
			"routers that are known as such",
			journal.Run{Targets: two, Replicas: []journal.Replica{{Name: "r1", URL: "http://h:1"}, {Name: "r2", URL: "http://h:2", Target: 1}}},
			[]journal.Request{to(0, ""), to(1, "r1"), to(0, "r2")},
			[]string{"not known", "r1", "r2"},
			4,
		},
		{
			"addresses that are listed as replicas too",
			journal.Run{Targets: two, Replicas: []journal.Replica{{Name: "x", URL: "http://a:1"}, {Name: "y", URL: "http://b:1", Target: 1}}},
			[]journal.Request{to(0, ""), to(1, "y")},
			[]string{"x", "y"},
			2,
		},
	} {
		n := NewNames(&tt.run)
		got := of(n, tt.sent...)
		if fmt.Sprint(got) != fmt.Sprint(tt.want) || n.Len() != tt.rows {
			t.Errorf("%s: %q and %d rows, want %q and %d", tt.name, got, n.Len(), tt.want, tt.rows)
		}
	}
}

// What a hostile server may call itself is bounded, and nothing is lost.
func TestTooManyNames(t *testing.T) {
	n := NewNames(&journal.Run{})
	others := 0
	for i := range 10 * Max {
		if n.Of(&journal.Request{Replica: fmt.Sprint("r", i)}) == Others {
			others++
		}
	}
	if n.Len() != Max || others != 9*Max {
		t.Errorf("%d stand by themselves, and %d are others", n.Len(), others)
	}
	if n.Of(&journal.Request{Replica: "r3"}) != 3 || n.Name(Others) != "others" {
		t.Error("one of the first is lost")
	}
}

func TestPrefiller(t *testing.T) {
	n := NewNames(&journal.Run{})
	r := &journal.Request{Replica: "d1", Prefiller: "p1"}
	if d, p := n.Of(r), n.Prefiller(r); n.Name(d) != "d1" || n.Name(p) != "p1" || n.At(p).Role != journal.Prefill {
		t.Errorf("%d and %d: %+v", d, p, n.list)
	}
	if n.Prefiller(&journal.Request{Replica: "d1", Prefiller: "d1"}) != Unknown {
		t.Error("one that did both is its own prefiller")
	}
}
