package record

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// llama.cpp says that it keeps a connection and closes it behind each stream. A request that takes such a connection is lost;
// through the proxy none may be.
func TestServerThatClosesKeptConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	defer all.Wait()
	defer l.Close()
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				in := bufio.NewReader(c)
				q, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, q.Body)
				const event = "data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nServer: llama.cpp\r\nContent-Type: text/event-stream\r\nKeep-Alive: timeout=5, max=100\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(event), event)
				_, _ = in.ReadByte() // it closes under the hands of the next
			})
		}
	})
	r := start(t, "http://"+l.Addr().String(), nil)
	for range 3 {
		if status, answer, err := post(t.Context(), r.url+"/v1/completions", `{"model":"m","prompt":"p"}`); status != 200 || err != nil {
			t.Errorf("%d %q %v", status, answer, err)
		}
	}
	for _, row := range r.stop() {
		if row.Outcome != "complete" {
			t.Errorf("%+v", row)
		}
	}
}
