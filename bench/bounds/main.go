// Command bounds shows whether the truth lies within the bounds that a result states. It
// runs the simulator and bench serve again and again, with fresh seeds, measures the
// simulator's log of the truth by the same definitions as the journal, and looks
// where each statistic of the truth lies.
//
//	go run ./bench/bounds -binary bin/inferometer                            more than two cores can take
//	go run ./bench/bounds -binary bin/inferometer -streams 100 -requests 400 a light load: how wide are they?
//
// It exits with 1 when more than one run in twenty has a TTFT or inter-chunk percentile outside of its
// bounds.
package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
)

type options struct {
	binary, backend, itl, engine    string
	streams, requests, tokens, runs int
	tls                             bool
	allowance                       time.Duration
}

func main() {
	var o options
	harness.BinaryVar(&o.binary)
	flag.StringVar(&o.backend, "backend", "vllm", "protocol")
	flag.IntVar(&o.streams, "streams", 1000, "concurrent requests")
	flag.IntVar(&o.requests, "requests", 2000, "requests in all")
	flag.IntVar(&o.tokens, "tokens", 64, "tokens of an answer")
	flag.StringVar(&o.itl, "itl", "10ms", "time between tokens")
	flag.StringVar(&o.engine, "engine", "auto", "the client's engine")
	flag.BoolVar(&o.tls, "tls", false, "speak TLS")
	flag.IntVar(&o.runs, "runs", 20, "how often")
	flag.DurationVar(&o.allowance, "allowance", -1, "by how much a stamp may be off beside the bounds; -1: what the result states")
	harness.Main("bounds", func() error {
		t := newTable()
		for i := range o.runs {
			if err := t.run(o); err != nil {
				return fmt.Errorf("run %d: %w", i+1, err)
			}
		}
		fmt.Print(t.show())
		if !t.holds() {
			return errors.New("the truth lay outside of the bounds in more than one run in twenty")
		}
		return nil
	})
}
