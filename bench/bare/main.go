// Command bare is the first yardstick of client speed: the smallest Go program
// that opens N connections, sends the same requests and reads the streams to
// their end without parsing, one goroutine a connection. What it costs is what
// reading costs in Go; `make bench-client` states ours as a ratio to it.
package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/inferometer/inferometer/bench/yardstick"
)

func main() {
	o := yardstick.Parse()
	request := o.Request()
	var next, reads, events atomic.Int64
	var all sync.WaitGroup
	for range o.Streams {
		all.Go(func() {
			conn, err := dial(o)
			if err != nil {
				fail(err)
			}
			defer conn.Close()
			buf := make([]byte, 16<<10)
			for next.Add(1) <= int64(o.Requests) {
				if _, err := conn.Write(request); err != nil {
					fail(err)
				}
				for {
					n, err := conn.Read(buf)
					if err != nil {
						fail(err)
					}
					reads.Add(1)
					events.Add(int64(yardstick.Events(buf[:n])))
					if yardstick.Ended(buf[:n]) {
						break
					}
				}
			}
		})
	}
	all.Wait()
	yardstick.Report(events.Load(), reads.Load())
}

func dial(o yardstick.Options) (net.Conn, error) {
	if o.TLS {
		return tls.Dial("tcp", o.Addr, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // the simulator's own
	}
	return net.Dial("tcp", o.Addr)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "bare:", err)
	os.Exit(1)
}
