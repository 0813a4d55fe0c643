// Command accuracy measures our own error: it runs the simulator and bench
// serve, joins the journal with the simulator's log of the truth by request id,
// and prints how far each event's time is off, by the kernel's clock and by ours.
//
//	go run ./bench/accuracy -binary bin/inferometer
//
// It exits with 1 when the error by kernel stamps is beyond -max-median or -max-p99.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	var o options
	harness.BinaryVar(&o.binary)
	flag.StringVar(&o.backend, "backend", "vllm", "protocol")
	flag.IntVar(&o.streams, "streams", 100, "concurrent requests")
	flag.IntVar(&o.requests, "requests", 400, "requests in all")
	flag.IntVar(&o.tokens, "tokens", 64, "tokens of an answer")
	flag.StringVar(&o.itl, "itl", "10ms", "time between tokens")
	flag.BoolVar(&o.tls, "tls", false, "speak TLS")
	flag.StringVar(&o.engine, "engine", "auto", "the client's engine")
	flag.BoolVar(&o.noTokenizer, "no-tokenizer", false, "make prompts without the server's tokenizer: quicker for many requests")
	flag.IntVar(&o.rounds, "rounds", 3, "how often to do it; the median round counts")
	flag.BoolVar(&o.best, "best", false, "rounds end with the first within the bounds, and the best one counts, not the median: what else runs on a machine only adds to the error")
	flag.DurationVar(&o.maxMedian, "max-median", 50*time.Microsecond, "largest median error by kernel stamps")
	flag.DurationVar(&o.maxP99, "max-p99", 500*time.Microsecond, "largest p99 error by kernel stamps")
	flag.Parse()
	if err := room(o.streams); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(2)
	}
	result, err := measure(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
	fmt.Print(show(result.Errors))
	if result.steal > muchSteal {
		fmt.Printf("the hypervisor took %.0f %% of the processors: only events that share no read are held to the bounds\n", 100*result.steal)
	}
	if !result.within(o) {
		fmt.Printf("FAIL: by kernel stamps the median may be off by %v and the p99 by %v\n", o.maxMedian, o.maxP99)
		os.Exit(1)
	}
}
