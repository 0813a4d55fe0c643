package main

import (
	"fmt"
	"slices"
	"strings"
)

// load is what all clients are asked for: a closed loop of so many streams.
type load struct {
	Name     string `json:"name"`
	Streams  int    `json:"streams"`
	Requests int    `json:"requests"`
	Tokens   int    `json:"tokens"`
	TTFT     string `json:"ttft"` // of the simulator
	ITL      string `json:"itl"`
	Fault    string `json:"fault,omitempty"`
}

const (
	promptTokens = 256
	// middle is the load of which docs/five-clients.md shows the tables.
	middle = "middle"
	// broken is the name of the load whose streams break.
	broken = "broken"
)

// loads are from what any client does without effort to what two cores can just serve.
// Latencies are drawn, so that a percentile is a place in a distribution and not a constant.
var loads = []load{
	{Name: "light", Streams: 20, Requests: 100, Tokens: 64, TTFT: "lognormal:100ms:0.3", ITL: "lognormal:20ms:0.3"},
	{Name: middle, Streams: 200, Requests: 800, Tokens: 128, TTFT: "lognormal:100ms:0.3", ITL: "lognormal:10ms:0.3"},
	{Name: "heavy", Streams: 1000, Requests: 2000, Tokens: 128, TTFT: "lognormal:200ms:0.3", ITL: "lognormal:20ms:0.3"},
	{Name: broken, Streams: 20, Requests: 200, Tokens: 32, TTFT: "50ms", ITL: "10ms", Fault: "truncate=0.1,reset=0.05,error-event=0.05"},
}

// tenth is a load to try commands with.
func (l load) tenth() load {
	l.Streams, l.Requests = max(l.Streams/10, 4), max(l.Requests/10, 20)
	return l
}

func (l load) String() string {
	s := fmt.Sprintf("%d streams, %d requests of %d tokens, TTFT %s, between tokens %s", l.Streams, l.Requests, l.Tokens, l.TTFT, l.ITL)
	if l.Fault != "" {
		s += ", faults " + l.Fault
	}
	return s
}

// pick finds loads by their names.
func pick(names string) (found []load, err error) {
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(loads, func(l load) bool { return l.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("-loads %s: no load is called %q; light, middle, heavy and broken are", names, name)
		}
		found = append(found, loads[i])
	}
	return found, nil
}
