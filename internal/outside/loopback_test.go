package outside

import "testing"

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true, "::ffff:127.0.0.1": true,
		"": false, "0.0.0.0": false, "::": false, "10.0.0.7": false, "localhost.example": false, "127.0.0.1.example": false,
	} {
		if Loopback(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}
