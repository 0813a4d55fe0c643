//go:build unix

package sim

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// A client that does not read holds up nobody else, and gets all in the end.
func TestRealSlowReader(t *testing.T) {
	cfg := fast()
	cfg.ITL, cfg.TokensPerChunk, cfg.MaxModelLen = random.Constant(0), 1000, 1<<20
	small := func(_, _ string, c syscall.RawConn) (err error) { // what a listener accepts has its buffers
		return errors.Join(c.Control(func(fd uintptr) {
			err = errors.Join(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 16<<10), syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10))
		}), err)
	}
	l, err := (&net.ListenConfig{Control: small}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, url: "http://" + l.Addr().String(), buf: &syncBuffer{}}
	r.client = &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{Control: small}).DialContext}}
	stop := serve(t, cfg, r.buf, l)
	r.stop = func() {
		r.client.CloseIdleConnections()
		stop()
	}
	defer r.stop()
	// More than the buffers of both sockets hold.
	slow, err := r.post(dialect.PathCompletions, "slow", `{"prompt":"a","max_tokens":100000,"stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(slow.Body, first); err != nil { // the engine has begun with it
		t.Fatal(err)
	}
	// Once the engine has made all of it, what the sockets do not hold waits for us.
	for deadline := time.Now().Add(patience); r.metrics()["num_requests_running"] > 0; {
		if time.Now().After(deadline) {
			t.Fatal("the engine waits for a client that does not read")
		}
	}
	if g := read(r.post(dialect.PathCompletions, "quick", `{"prompt":"a","max_tokens":3000,"stream":true}`)); !g.done {
		t.Errorf("%+v", g)
	}
	slow.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(first), slow.Body), slow.Body}
	g := read(slow, nil)
	rec := r.truth()["slow"]
	if !g.done || sha(g.text) != rec.TextSHA256 || rec.Blocked == 0 {
		t.Errorf("done %v, %d letters, truth %d tokens, %d blocked writes", g.done, len(g.text), rec.CompletionTokens, rec.Blocked)
	}
}
