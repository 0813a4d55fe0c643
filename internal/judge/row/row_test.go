package row

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

const ms = 1_000_000

// stream is a request with a role chunk, a reasoning chunk, two text chunks and a usage event.
func stream() *journal.Request {
	return &journal.Request{
		Index: 3, Due: 5 * ms, Sent: 10 * ms, End: 100 * ms, Outcome: journal.Complete,
		PromptTokens: 7, UsagePrompt: 8, UsageOutput: 4,
		Events: journal.Events{
			At: []int64{20 * ms, 10 * ms, 30 * ms, 5 * ms, ms},
			Kind: []journal.EventKind{
				journal.EventChoices, journal.EventChoices | journal.EventReasoning,
				journal.EventChoices | journal.EventText, journal.EventChoices | journal.EventText, journal.EventUsage,
			},
		},
	}
}

func TestRead(t *testing.T) {
	got, err := NewRules(&journal.Options{Pace: "poisson"}, "").Read(stream())
	want := Row{
		Index: 3, OK: true, CountedBy: ByUsage, Sent: 10 * ms, Due: 5 * ms, End: 100 * ms, Queue: 5 * ms,
		First: 20 * ms, FirstToken: 30 * ms, FirstVisible: 60 * ms, Last: 65 * ms, LastTool: -1, LongestGap: 30 * ms,
		Planned: 7, Prompt: 8, Output: 4, Got: 4, Counted: 8, Cached: -1,
	}
	if err != nil || got != want {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if v, ok := got.TPOT(); !ok || v != (got.Latency()-got.TTFT())/3 {
		t.Errorf("TPOT %v, %v", v, ok)
	}
}

// A failure keeps its times and what was counted, and has no latency and no output.
func TestReadOfAFailure(t *testing.T) {
	req := stream()
	req.Outcome = journal.Truncated
	got, err := Rules{}.Read(req)
	if err != nil || got.OK || got.Output != 0 || got.Got != 4 || got.First != 20*ms || got.Latency() != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err = (Rules{VLLM: true}).Read(req); err != nil || !got.OK || got.Output != 4 {
		t.Errorf("by vLLM's rules: %+v, %v", got, err)
	}
}

func TestReadRefusesColumnsOfDifferentLength(t *testing.T) {
	for _, spoil := range []func(*journal.Events){
		func(ev *journal.Events) { ev.Kind = ev.Kind[:2] },
		func(ev *journal.Events) { ev.Lag = []int64{1} },
		func(ev *journal.Events) { ev.Tokens = []int{1} },
		func(ev *journal.Events) { ev.Size = []int{1} },
	} {
		req := stream()
		spoil(&req.Events)
		if _, err := (Rules{}).Read(req); err == nil || !strings.Contains(err.Error(), "request 3: event columns differ in length") {
			t.Errorf("%+v: %v", req.Events, err)
		}
	}
}
