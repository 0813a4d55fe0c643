package load

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
)

// Ollama can't be told to go on beyond the end of an answer, so one that is shorter than
// asked for is no fault that a client could see.
func TestOllamaOutcomesAreTheTruths(t *testing.T) {
	short := map[string]journal.Outcome{sim.FaultShort: journal.Complete}
	for _, tt := range []struct {
		backend string
		noLoop  bool
	}{{"ollama", false}, {"ollama-chat", true}, {"ollama-chat", false}, {"ollama", true}} {
		t.Run(tt.backend, func(t *testing.T) { outcomesAreTheTruths(t, tt.backend, tt.noLoop, 600, short) })
	}
}

func TestLlamaOutcomesAreTheTruths(t *testing.T) {
	for _, noLoop := range []bool{false, true} {
		outcomesAreTheTruths(t, "llamacpp", noLoop, 600, nil)
	}
}

// All framings of the simulator: those that are of server-sent events mean nothing to lines.
func TestLocalFramingsAreTheTruths(t *testing.T) {
	styles := append([]string{"", "split,crlf", "merge,crlf", "split,crlf,pings,event-lines,nospace", "merge,usage-last", "split,reasoning,tools"}, sim.FramingNames()...)
	for _, backend := range []string{"ollama", "ollama-chat", "llamacpp"} {
		framingsAreTheTruths(t, backend, styles)
	}
}
