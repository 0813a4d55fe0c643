package prepare

import (
	"strings"
	"testing"
)

func TestCapacity(t *testing.T) {
	for _, tt := range []struct {
		name        string
		capacity    capacity
		connections int
		want        string // part of the message; empty: there is room
	}{
		{"enough", capacity{1024, 28232, 1}, 992, ""},
		{"one file too few", capacity{1024, 28232, 1}, 993, "may open 1024 files: raise the limit (ulimit -n 1025)"},
		{"all ports", capacity{100_000, 28232, 1}, 28232, ""},
		{"one port too few", capacity{100_000, 28232, 1}, 28233, "28232 ports for connections to one address"},
		{"two addresses", capacity{100_000, 28232, 2}, 56464, ""},
		{"two addresses too few", capacity{1_000_000, 28232, 2}, 100_000, "28232 ports"},
		{"nothing is known", capacity{0, 0, 1}, 1_000_000, ""},
	} {
		err := tt.capacity.check("--max-concurrency", tt.connections)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	if n := addresses([]string{"http://a:1", "http://a:2", "http://a:1/v1"}); n != 2 {
		t.Errorf("%d addresses", n)
	}
}
