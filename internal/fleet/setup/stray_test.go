package setup

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/bus"
	"github.com/inferometer/inferometer/internal/fleet/message"
)

// A holder of agent.json may make a consumer of the files' store, which it needs to fetch them, and
// with it the server publish a file's words wherever it says: on another agent's subject
// they are dropped. A viewer may ask who is there, and have the answers sent there: so are they.
func TestRealServerIsNoLeader(t *testing.T) {
	t.Parallel()
	f := start(t)
	leader, _ := f.open(bus.Leader)
	agent, trouble := f.open(bus.Agent)
	if err := leader.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked := make(chan *message.Ask, 10)
	stop, err := agent.Serve("a-1", func() message.Hello {
		return message.Hello{Protocol: message.Protocol, Agent: "a-1", Run: "r"}
	}, func(a *message.Ask, _ time.Time) *message.Answer {
		asked <- a
		return &message.Answer{}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	path := filepath.Join(t.TempDir(), "dataset.jsonl")
	if err := os.WriteFile(path, []byte(`{"protocol":2,"kind":"cancel","agent":"a-1","run":"r"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := leader.PutFile(t.Context(), path, "dataset"); err != nil {
		t.Fatal(err)
	}
	rogue, refused := f.raw(bus.Agent)
	viewer, refusedViewer := f.raw(bus.Viewer)
	const chunks = "$O." + bus.FilesBucket + ".C.>"
	if err := rogue.PublishRequest("$JS.API.CONSUMER.CREATE.OBJ_"+bus.FilesBucket+".x."+chunks, rogue.NewInbox(),
		[]byte(`{"stream_name":"OBJ_`+bus.FilesBucket+`","config":{"name":"x","deliver_subject":"inferometer.ask.a-1","filter_subject":"`+chunks+`","ack_policy":"none"}}`)); err != nil {
		t.Fatal(err)
	}
	if err := viewer.PublishRequest("inferometer.who", "inferometer.ask.a-1", nil); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); agent.Strays() < 2 && len(asked)+len(refused)+len(refusedViewer) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond) // what is dropped tells nobody
	}
	if n := agent.Strays(); n < 2 || len(asked) > 0 || len(trouble) != 1 {
		t.Errorf("%d messages were dropped, the agent was asked %d times and was told %d times", n, len(asked), len(trouble))
	}
	if len(refused)+len(refusedViewer) > 0 {
		t.Error("NATS refuses it by itself now: this test shows nothing")
	}
}
