package lead

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/journal"
)

// An agent that died with records comes back: attach gets them, after the first merge.
func TestAgentComesBack(t *testing.T) {
	inVirtual(t, func(v *virtual) {
		v.fake("lives", nil)
		var whole []byte
		dead := v.fake("dies", func(f *fake) {
			f.end = func(journal []byte) int {
				whole = journal
				return len(journal) / 2
			}
		})
		s := v.spec(`"pace":{"rate":200},"load":{"num_prompts":200}`)
		var said bytes.Buffer
		done, err := v.execute(nil, s, v.host(&said))
		if err != nil {
			v.Fatal(err)
		}
		done.Close()
		got, _ := records(v.T, done)
		if n := tally(got); n[journal.Complete] == 200 {
			v.Fatalf("%v", n)
		}
		if !strings.Contains(said.String(), "agent dies: ") || !strings.Contains(said.String(), "fleet attach run-") {
			v.Errorf("it said:\n%s", &said)
		}
		dead.comeBack(whole)
		said.Reset()
		again, err := v.attach("", "", v.host(&said))
		if err != nil {
			v.Fatalf("%v\n%s", err, &said)
		}
		defer again.Close()
		if got, _ := records(v.T, again); tally(got)[journal.Complete] != 200 || again.Folder() != s.RunDir {
			v.Errorf("%v in %s\n%s", tally(got), again.Folder(), &said)
		}
		if runs, _ := v.Runs(v.Context()); len(runs) != 0 {
			v.Errorf("the bus keeps %v", runs)
		}
	})
}

// comeBack is the same agent's next process: it has the journal, and tells so.
func (f *fake) comeBack(whole []byte) {
	f.t.Helper()
	f.mu.Lock()
	f.status.Phase, f.status.Journal, f.status.SHA256 = message.Failed, int64(len(whole)), sumOf(whole)
	f.status.Error = "the agent died during the run"
	f.status.Number++
	f.whole = whole
	f.mu.Unlock()
	stop, err := f.bus.Serve(f.id, f.tellOfItself, f.handle)
	if err != nil {
		f.t.Fatal(err)
	}
	f.mu.Lock()
	f.stop = stop
	f.mu.Unlock()
}
