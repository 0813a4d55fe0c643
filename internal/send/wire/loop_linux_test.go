package wire

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A kept connection that the server has closed is replaced before a byte is
// sent, and counted. (net/http finds out too late, and loses the request.)
func TestLoopReplacesAClosedConnection(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer srv.Close()
	tr, err := NewLoop(LoopConfig{Clock: NewClock(), Connections: 1, Loops: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for i := range 6 {
		if i == 3 {
			srv.CloseClientConnections()
		}
		conn, err := tr.Do(context.Background(), &Request{URL: srv.URL}, &recorder{})
		if err != nil {
			t.Errorf("request %d: %v", i, err)
		}
		if conn.New != (i%3 == 0) {
			t.Errorf("request %d: new connection %v, %d reconnects", i, conn.New, conn.Reconnects)
		}
	}
}
