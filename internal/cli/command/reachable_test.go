package command

import (
	"net"
	"strings"
	"testing"
)

func TestReachable(t *testing.T) {
	for address, open := range map[string]bool{
		"127.0.0.1:9000": false, "127.8.8.8:9000": false, "[::1]:9000": false, "[::ffff:127.0.0.1]:9000": false,
		"0.0.0.0:9000": true, "[::]:9000": true, "192.0.2.1:9000": true, "[2001:db8::1]:9000": true,
	} {
		at, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		said := Reachable(at, "read it", "listen")
		if (said != "") != open || open && !strings.Contains(said, "everyone there can read it; --listen 127.0.0.1:9000 keeps") {
			t.Errorf("%s: %q", address, said)
		}
	}
}
