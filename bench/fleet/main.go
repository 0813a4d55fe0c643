//go:build linux

// Command fleet measures what a fleet costs, with real agents, a real leader and the real
// nats-server on this machine:
//
//	make bench-fleet           CPU of 1, 2 and 4 agents per event, beside one process
//	make bench-fleet-agents    200 agents: when they begin, and what leader and NATS carry
//	make bench-fleet-streams   100,000 streams at once, over several agents and addresses
//	make bench-fleet-merge     1,000 journals of 200,000 requests become one
//
// docs/fleet.md reckons from its figures.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/test/fleet/stage"
)

type options struct {
	binary   string
	rounds   int
	agents   int
	streams  int
	requests int
	tokens   int
	itl      string
	ttft     string
	rate     int
	seconds  int
	split    bool
	limit    float64
	within   float64
	perAgent int
	nice     int

	perProcess int
	nats, name string
}

func main() {
	var o options
	harness.BinaryVar(&o.binary)
	cpu := flag.Bool("cpu", false, "measure the CPU time of 1, 2 and 4 agents per event, beside one process")
	begin := flag.Bool("begin", false, "measure when many agents begin, and what leader and NATS carry")
	many := flag.Bool("many", false, "hold many streams at once")
	merging := flag.Bool("merge", false, "measure how fast journals become one: -agents journals of -requests in all")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds, of which the best counts: what else runs on a machine only adds")
	flag.IntVar(&o.agents, "agents", 200, "-begin and -merge: agents")
	flag.IntVar(&o.streams, "streams", 50, "-cpu: streams of each agent; -many: of all")
	flag.IntVar(&o.requests, "requests", 250, "-cpu: requests of each agent; -merge: of all")
	flag.IntVar(&o.tokens, "tokens", 128, "tokens of an answer")
	flag.StringVar(&o.itl, "itl", "10ms", "time between tokens of a stream")
	flag.StringVar(&o.ttft, "ttft", "50ms", "time to the first token")
	flag.IntVar(&o.rate, "rate", 200, "-begin: requests a second")
	flag.IntVar(&o.seconds, "seconds", 10, "-begin: length of the load")
	flag.BoolVar(&o.split, "split", false, "-cpu: -streams and -requests are of all agents together")
	flag.Float64Var(&o.limit, "max", 0, "-cpu: fail if 4 agents cost more than this × one process for an event; 0: don't")
	flag.Float64Var(&o.within, "within", 0, "-begin: fail if an agent begins more than so many ms from its instant; 0: don't")
	flag.IntVar(&o.perAgent, "per-agent", 16_000, "-many: streams of an agent, and of a server")
	flag.IntVar(&o.nice, "nice", 0, "priority of all processes, as nice(1) has it; below 0 needs root, and is for a machine that others use too")
	flag.IntVar(&o.perProcess, "per-process", 10, "-begin: agents in one process; 1: each is the program itself")
	hosted := flag.Int("host", 0, "be so many agents of -nats, in this process: for -begin")
	flag.StringVar(&o.nats, "nats", "", "-host: where NATS is")
	flag.StringVar(&o.name, "name", "agent", "-host: what the agents' names begin with")
	harness.Main("bench-fleet", func() error {
		switch {
		case *hosted > 0:
			return host(o, *hosted)
		case *cpu:
			return cpuPerEvent(o)
		case *begin:
			return beginTogether(o)
		case *many:
			return manyStreams(o)
		case *merging:
			return mergeRate(o)
		}
		flag.Usage()
		return errors.New("it needs one of -cpu, -begin, -many and -merge")
	})
}

// onStage runs one round on a stage of its own.
func onStage(o options, round func(*stage.Stage) error) error {
	nats, err := stage.NATSProgram()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-fleet-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, err := filepath.Abs(o.binary)
	if err != nil {
		return err
	}
	s := stage.New(binary, nats, dir)
	s.Nice = o.nice
	defer s.Close()
	if err := round(s); err != nil {
		return fmt.Errorf("%w\n%s", err, s.Dump())
	}
	return nil
}
