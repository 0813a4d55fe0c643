// Command client measures what our client costs: the CPU time of the process
// for each SSE event, as a ratio to the yardsticks bare and epoll, which only
// read. All run against the simulator one after the other, in interleaved rounds.
//
//	make bench-client
//
// The cost of a run with one request (start-up, reports) is taken off.
package main

import (
	"flag"
	"fmt"
	"os"
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
	maxLoop := flag.Float64("max-loop", 0, "fail if the loop engine costs more than this × bare; 0: don't")
	maxHTTP := flag.Float64("max-nethttp", 0, "fail if the net/http engine costs more than this × bare; 0: don't")
	flag.Parse()
	table, err := measure(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-client:", err)
		os.Exit(1)
	}
	fmt.Print(table)
	failed := false
	for engine, limit := range map[string]float64{"loop": *maxLoop, "nethttp": *maxHTTP} {
		if r := table.ratio("ours, " + engine); limit > 0 && r > limit {
			fmt.Printf("FAIL: %s costs %.2f × bare, more than %.2f\n", engine, r, limit)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
