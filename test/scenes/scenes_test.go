//go:build linux

package scenes

import (
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/test/realserver"
)

// scene is one way to spoil a measurement, and what the verdict must say of it.
type scene struct {
	name   string
	play   func(s *stage) *result
	reason string        // its check must be bad, or noted
	level  verdict.Level // of that check
	words  string        // in its sentence
}

func scenes() []scene {
	return []scene{
		{name: "the client is starved of its processor", play: starved, reason: "cpu_wait", level: verdict.Noted, words: "waited for a processor"},
		{name: "the server restarts", play: restarted, reason: "restart", level: verdict.Invalid},
		{name: "somebody else uses the server", play: crowded, reason: "foreign_requests", level: verdict.Invalid},
		{name: "the network loses packets", play: lossy, reason: "retransmits", level: verdict.Noted, words: "lost"},
	}
}

// starved: the client shares its only processor with others who never rest, while
// the server has one of its own.
func starved(s *stage) *result {
	url := s.sim(s.pinned(1), usualSim...).URL
	s.hogs(0, 8)
	return s.start(s.pinned(0), url, with(usual, "--max-concurrency", "12")...).wait()
}

// restarted: the server dies in the middle, and another one comes up at its address. It makes its second life known by
// the time of its start, in seconds.
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
	other := newStage(s.T).start(nil, sim.URL, with(usual[2:], "--duration", "1h", "--seed", "7")...)
	s.answered(sim.URL, 8)
	r := s.bench(sim.URL, usual...)
	_ = other.cmd.Process.Kill()
	_ = other.cmd.Wait()
	return r
}

// answered waits until a simulator has answered so many requests.
func (s *stage) answered(url string, n int) {
	s.Helper()
	server := realserver.At(url)
	server.AwaitCounter(s, "vllm:request_success_total", n, patience)
}
