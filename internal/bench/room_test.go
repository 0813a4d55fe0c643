package bench

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/spec"
)

func TestRoom(t *testing.T) {
	for _, tt := range []struct {
		name        string
		room        room
		connections int
		want        string // part of the message; empty: there is room
	}{
		{"enough", room{1024, 28232, 1}, 992, ""},
		{"one file too few", room{1024, 28232, 1}, 993, "may open 1024 files: raise the limit (ulimit -n 1025)"},
		{"all ports", room{100_000, 28232, 1}, 28232, ""},
		{"one port too few", room{100_000, 28232, 1}, 28233, "28232 ports for connections to one address"},
		{"two addresses", room{100_000, 28232, 2}, 56464, ""},
		{"two addresses too few", room{1_000_000, 28232, 2}, 100_000, "28232 ports"},
		{"nothing is known", room{0, 0, 1}, 1_000_000, ""},
	} {
		err := tt.room.check("--max-concurrency", tt.connections)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	r := &Run{Spec: &spec.Spec{}}
	r.URLs = []string{"http://a:1", "http://a:2", "http://a:1/v1"}
	if n := r.addresses(); n != 2 {
		t.Errorf("%d addresses", n)
	}
}
