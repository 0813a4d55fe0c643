package setup

import (
	"bytes"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/fleet/seal"
)

// Agents share a user, so one can read what another is offered. The secrets in it are of no
// use to it.
func TestRealAnothersOffer(t *testing.T) {
	t.Parallel()
	f := start(t)
	leader, _ := f.open(bus.Leader)
	agent, _ := f.open(bus.Agent)
	own, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	others, err := seal.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	stop, err := agent.Serve("a-1", func() message.Hello { return message.Hello{Agent: "a-1", Key: own.Public()} },
		func(a *message.Ask, _ time.Time) *message.Answer {
			secrets, err := own.Open(a.Run, "a-1", a.Sealed)
			if err != nil {
				return &message.Answer{Error: err.Error()}
			}
			return &message.Answer{Nonce: secrets["OPENAI_API_KEY"]}
		})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	spy, _ := f.raw(bus.Agent)
	heard, err := spy.SubscribeSync("inferometer.ask.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := spy.Flush(); err != nil {
		t.Fatal(err)
	}
	sealed, err := seal.Seal(own.Public(), "r", "a-1", map[string]string{"OPENAI_API_KEY": "sk-of-the-run"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := leader.Ask(t.Context(), "a-1", &message.Ask{Kind: message.Offer, Run: "r", Sealed: sealed})
	if err != nil || answer.Nonce != "sk-of-the-run" {
		t.Errorf("%+v, %v", answer, err)
	}
	m, err := heard.NextMsg(2 * time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	offer, err := message.Decode[message.Ask](m.Data)
	if err != nil || bytes.Contains(m.Data, []byte("sk-of-the-run")) {
		t.Fatalf("%s, %v", m.Data, err)
	}
	for _, name := range []string{"a-1", "a-2"} {
		if secrets, err := others.Open("r", name, offer.Sealed); err == nil {
			t.Errorf("another agent as %s opens it: %v", name, secrets)
		}
	}
}
