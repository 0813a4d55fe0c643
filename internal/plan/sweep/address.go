package sweep

import (
	"fmt"
	"net"
	"net/url"
)

// serverAddress reads from a server's command where it will listen. The rest is
// vllm serve's default.
func serverAddress(command []string) (string, error) {
	host, port := "localhost", "8000"
	if listen, ok := flagValue(command, "listen"); ok { // our simulator's
		var err error
		if host, port, err = net.SplitHostPort(listen); err != nil {
			return "", fmt.Errorf("read the server's address: %w", err)
		}
	}
	if v, ok := flagValue(command, "host"); ok {
		host = v
	}
	for i, word := range command {
		if word == "-p" && i+1 < len(command) {
			port = command[i+1]
		}
	}
	if v, ok := flagValue(command, "port"); ok {
		port = v
	}
	switch host {
	case "", "0.0.0.0":
		host = "127.0.0.1" // it listens everywhere; we are here
	case "::":
		host = "::1"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}
	return u.String(), nil
}
