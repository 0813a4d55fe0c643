//go:build linux

package scenes

import (
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/test/realserver"
)

// scene is one way to spoil a measurement, and what the verdict must say of it.
type scene struct {
	name   string
	play   func(s *stage) *result
	reason string        // the only one; empty: none
	level  verdict.Level // of that reason
	// explained are checks that are bad too, and must say that it is because of the reason.
	explained []string
	words     string // in the reason's sentence
	// also are what it may do to the numbers, by how the dice fall.
	also []string
}

func scenes() []scene {
	return []scene{
		{name: "nothing is spoiled, closed loop", play: control},
		{name: "nothing is spoiled, open loop", play: func(s *stage) *result { return s.bench(s.sim(nil, usualSim...).URL, usualOpen...) }},
		{name: "the client is starved of its processor", play: starved, reason: "cpu_wait", level: verdict.Noted, words: "waited for a processor"},
		{name: "a proxy buffers", play: buffered, reason: "bursts", level: verdict.Invalid, explained: []string{"server_ttft"}},
		{name: "the server restarts", play: restarted, reason: "restart", level: verdict.Invalid, explained: []string{"outcomes"}},
		{name: "somebody else uses the server", play: crowded, reason: "foreign_requests", level: verdict.Invalid},
		{name: "the cache is warm", play: warm, reason: "seen_prompts", level: verdict.Invalid, explained: []string{"cached_tokens"}},
		{name: "streams are cut off", play: func(s *stage) *result {
			return s.bench(s.sim(nil, with(usualSim, "--fault", "truncate=0.1")...).URL, usual...)
		}, reason: "outcomes", level: verdict.Invalid, words: "truncated"},
		{name: "answers change under load", play: func(s *stage) *result {
			return s.bench(s.sim(nil, with(usualSim, "--fault", "flip=0.5")...).URL, with(usual, "--temperature", "0", "--integrity-sample", "10")...)
		}, reason: "integrity", level: verdict.Invalid, words: "of 10 prompts"},
		{name: "the context is too small", play: func(s *stage) *result {
			return s.bench(s.sim(nil, with(usualSim, "--max-model-len", "100")...).URL, with(usual, "--random-range-ratio", "0.5")...)
		}, reason: "outcomes", level: verdict.Invalid, words: "http_4xx"},
		{name: "an open loop beyond capacity", play: func(s *stage) *result {
			return s.bench(s.sim(nil, "--engine", "batch", "--max-num-seqs", "3", "--step-base", "5ms").URL, usualOpen...)
		}, reason: "growing", level: verdict.Invalid},
		{name: "an open loop held back by its limit", play: func(s *stage) *result {
			return s.bench(s.sim(nil, usualSim...).URL, with(usualOpen, "--max-concurrency", "6")...)
		}, reason: "rate", level: verdict.Invalid, words: "the limit of 6 in flight"},
		{name: "a closed loop too short for its concurrency", play: func(s *stage) *result {
			return s.bench(s.sim(nil, "--ttft", "50ms", "--itl", "uniform:2ms-40ms").URL, with(usual, "--max-concurrency", "45")...)
		}, reason: "ramp_drain", level: verdict.Suspect},
		{name: "too few requests for a p99", play: func(s *stage) *result {
			return s.bench(s.sim(nil, usualSim...).URL, with(usual, "--num-prompts", "36", "--max-concurrency", "2")...)
		}}, // its p99 is left out, and the rest stands
		{name: "one replica is slow", play: slowReplica, reason: "slow_replica", level: verdict.Suspect},
		{name: "the network loses packets", play: lossy, reason: "retransmits", level: verdict.Noted, words: "lost", also: []string{"bounds", "bursts", "server_ttft"}},
	}
}

func control(s *stage) *result { return s.bench(s.sim(nil, usualSim...).URL, usual...) }

// starved: the client shares its only processor with others who never rest, while
// the server has one of its own.
func starved(s *stage) *result {
	url := s.sim(s.pinned(1), usualSim...).URL
	s.hogs(0, 8)
	return s.start(s.pinned(0), url, with(usual, "--max-concurrency", "12")...).wait()
}

// buffered: a proxy on the way hands on what it has five times a second.
func buffered(s *stage) *result {
	proxy := bufferingProxy(s, s.sim(nil, usualSim...).URL, 200*time.Millisecond)
	return s.bench(proxy, with(usual, "--random-output-len", "64", "--max-concurrency", "16")...)
}

// restarted: the server dies in the middle, and another one comes up at its address.
func restarted(s *stage) *result {
	first := s.sim(nil, usualSim...)
	c := s.start(nil, first.URL, usualOpen...)
	s.answered(first.URL, 60)
	first.Kill()
	s.sim(nil, with(usualSim, "--listen", first.Addr())...)
	return c.wait()
}

// crowded: a second client sends to the same server. It is under way before ours
// begins and has not ended when ours does.
func crowded(s *stage) *result {
	sim := s.sim(nil, usualSim...)
	other := newStage(s.T).start(nil, sim.URL, with(usual[2:], "--duration", "1m", "--seed", "7")...)
	s.answered(sim.URL, 8)
	r := s.bench(sim.URL, usual...)
	_ = other.cmd.Process.Kill()
	_ = other.cmd.Wait()
	return r
}

// warm: the same prompts again, to a server that still has them in its cache.
func warm(s *stage) *result {
	url := s.sim(nil, "--engine", "batch").URL
	if v := s.bench(url, usual...).Inferometer.Verdict; slices.Contains(v.Reasons, "seen_prompts") || slices.Contains(v.Reasons, "cached_tokens") {
		s.Errorf("the first run has no earlier one before it, but its reasons are %v", v.Reasons)
	}
	return s.bench(url, usual...)
}

// slowReplica: of two servers that share the load one takes four times as long.
func slowReplica(s *stage) *result {
	quick, slow := s.sim(nil, usualSim...), s.sim(nil, "--ttft", "200ms", "--itl", "20ms")
	return s.bench(quick.URL+","+slow.URL, usual...)
}

// answered waits until a simulator has answered so many requests.
func (s *stage) answered(url string, n int) {
	s.Helper()
	server := realserver.At(url)
	server.AwaitCounter(s, "vllm:request_success_total", n, patience)
}
