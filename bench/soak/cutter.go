package main

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A cutter stands before a server as a balancer does, and cuts each connection after a drawn time, be a request
// on it or not: half of them in order, half by a reset.
type cutter struct {
	listener net.Listener
	server   string
	life     time.Duration
	cuts     atomic.Int64
	all      sync.WaitGroup
}

func startCutter(server string, life time.Duration) (*cutter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &cutter{listener: l, server: server, life: life}
	c.all.Add(1)
	go c.accept()
	return c, nil
}

func (c *cutter) Addr() string { return c.listener.Addr().String() }
func (c *cutter) Cuts() int64  { return c.cuts.Load() }

// Close ends listening, and waits for the connections, which end by their drawn times or with the server.
func (c *cutter) Close() { _ = c.listener.Close() }

func (c *cutter) accept() {
	defer c.all.Done()
	for {
		conn, err := c.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // out of descriptors for a moment
			continue
		}
		go c.carry(conn)
	}
}

func (c *cutter) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	cut := time.AfterFunc(time.Duration(rand.ExpFloat64()*float64(c.life)), func() {
		c.cuts.Add(1)
		if rand.IntN(2) == 0 {
			_ = client.(*net.TCPConn).SetLinger(0)
		}
		_ = client.Close()
		_ = server.Close()
	})
	defer cut.Stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(server, client)
		_ = server.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(client, server)
	_ = client.Close()
	<-done
}
