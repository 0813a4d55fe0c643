package report

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"go.uber.org/goleak"
)

// The server ends when its context does, also while someone holds a connection open,
// and leaves nothing behind.
func TestServeReportEnds(t *testing.T) {
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const patience = 30 * time.Second
	said, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: w}, []string{t.TempDir()})
		_ = w.Close()
	}()
	line, err := bufio.NewReader(said).ReadString('\n')
	address := regexp.MustCompile(`at (http://(\S+)/)\n`).FindStringSubmatch(line)
	if err != nil || address == nil {
		t.Fatalf("it said only %q", line)
	}
	client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
	defer client.CloseIdleConnections()
	resp, err := client.Get(address[1])
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.Body.Close() != nil || !strings.Contains(string(text), "There is no run in this folder") {
		t.Errorf("%v, %s", err, text)
	}
	held, err := net.Dial("tcp", address[2]) // it never asks for anything
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	client.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}
