//go:build unix

package sim

import (
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// The benchmark's client runs in a process of its own, so that its CPU time is
// not counted as the sim's: the test binary starts itself with these flags.
var (
	clientOf      = flag.String("sim.client", "", "address: be the client of BenchmarkCPUPerEvent")
	clientStreams = flag.Int("sim.streams", 200, "streams of BenchmarkCPUPerEvent")
	clientTokens  = flag.Int("sim.tokens", 500, "tokens a stream in BenchmarkCPUPerEvent")
	itlFlag       = flag.Duration("sim.itl", 10*time.Millisecond, "time between tokens in BenchmarkCPUPerEvent")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *clientOf != "" {
		discardStreams(*clientOf, *clientStreams, *clientTokens)
		return
	}
	goleak.VerifyTestMain(m)
}

// discardStreams opens streams and throws away what comes, with as little work
// as can be.
func discardStreams(addr string, streams, tokens int) {
	body := fmt.Sprintf(`{"prompt":"hello","max_tokens":%d,"stream":true,"ignore_eos":true}`, tokens)
	request := fmt.Sprintf("POST /v1/completions HTTP/1.0\r\nHost: sim\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	var all sync.WaitGroup
	for range streams {
		all.Go(func() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			defer c.Close()
			_, _ = io.WriteString(c, request)
			buf := make([]byte, 4096)
			for err == nil {
				_, err = c.Read(buf)
			}
		})
		time.Sleep(*itlFlag / time.Duration(streams)) // spread over one interval
	}
	all.Wait()
}

// BenchmarkCPUPerEvent measures what an event costs the sim, and how late the
// events are handed to the kernel. To choose the load:
//
//	go test ./internal/sim -run "^$" -bench CPUPerEvent -benchtime 1x -args -sim.streams 200 -sim.tokens 500
func BenchmarkCPUPerEvent(b *testing.B) {
	cfg := DefaultConfig()
	cfg.TTFT, cfg.ITL = random.Constant(200*time.Millisecond), random.Constant(*itlFlag)
	for b.Loop() {
		buf := &syncBuffer{}
		addr, stop := startPlain(b, cfg, buf)
		client := exec.Command(os.Args[0], "-sim.client", addr, "-sim.itl", itlFlag.String(),
			"-sim.streams", fmt.Sprint(*clientStreams), "-sim.tokens", fmt.Sprint(*clientTokens))
		client.Stderr = os.Stderr
		before := cpuTime(b)
		if err := client.Run(); err != nil {
			b.Fatal(err)
		}
		used := cpuTime(b) - before
		stop()
		events := 0
		var late []time.Duration
		for _, rec := range parseTruth(b, buf) {
			events += len(rec.Events)
			for i, at := range rec.Events {
				due := rec.Started + int64(200*time.Millisecond) + int64(i)*int64(*itlFlag)
				late = append(late, time.Duration(at-due))
			}
		}
		slices.Sort(late)
		b.ReportMetric(float64(used.Microseconds())/float64(events), "cpu-µs/event")
		b.ReportMetric(float64(events), "events")
		b.ReportMetric(late[len(late)/2].Seconds()*1e6, "late-p50-µs")
		b.ReportMetric(late[len(late)*99/100].Seconds()*1e6, "late-p99-µs")
		b.ReportMetric(late[len(late)-1].Seconds()*1e6, "late-max-µs")
	}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
