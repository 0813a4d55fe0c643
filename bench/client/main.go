// Command client measures what our client costs: the CPU time of the process
// for each SSE event, as a ratio to the yardsticks bare and epoll, which only
// read. All run against the simulator one after the other, in interleaved rounds.
//
//	make bench-client
//
// The cost of a run with one request (start-up, reports) is taken off; with -whole
// that of "inferometer version" and of a yardstick without requests instead, so that
// report, result files and whatever else a run does once count too.
package main

import (
	"errors"
	"flag"
	"fmt"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "bin", "bin", "folder with inferometer, bare and epoll")
	flag.IntVar(&o.streams, "streams", 200, "concurrent streams")
	flag.IntVar(&o.requests, "requests", 1000, "requests in all")
	flag.IntVar(&o.tokens, "tokens", 128, "tokens of an answer")
	flag.StringVar(&o.itl, "itl", "10ms", "time between tokens of a stream")
	flag.IntVar(&o.rounds, "rounds", 3, "interleaved rounds")
	flag.StringVar(&o.backend, "backend", "vllm", "protocol: vllm or openai-chat")
	flag.StringVar(&o.engines, "engines", "loop,nethttp", "our engines to measure")
	flag.BoolVar(&o.peersToo, "peers", false, "also measure the clients of others, where they are installed")
	flag.BoolVar(&o.tls, "tls", false, "under TLS; bare reads through crypto/tls too, epoll is left out")
	flag.BoolVar(&o.whole, "whole", false, "ours with all that a user has: prompts, journal, live progress, scrapes, result files and the report; only what an empty start costs is taken off")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile of ours here, the last run's")
	flag.BoolVar(&o.best, "best", false, "rounds end with the first after which the limits hold, and each client's best round counts, not the median: what else runs on a machine only adds to its cost")
	o.limits = map[string]*float64{}
	o.limits["loop"] = flag.Float64("max-loop", 0, "fail if the loop engine costs more than this × bare; 0: don't")
	o.limits["nethttp"] = flag.Float64("max-nethttp", 0, "fail if the net/http engine costs more than this × bare; 0: don't")
	harness.Main("bench-client", func() error {
		table, err := measure(o)
		if err != nil {
			return err
		}
		fmt.Print(table)
		if over := table.over(o); over != "" {
			return errors.New(over)
		}
		return nil
	})
}
