// Package fakerun is a made-up journal for the tests of reports.
package fakerun

import (
	"fmt"
	"io"

	"github.com/inferometer/inferometer/internal/journal"
)

const ms = int64(1e6)

// Journal is a journal of N requests, 10 ms apart, with four tokens each; every
// tenth fails. Words stand in every place that comes from outside.
type Journal struct {
	N     int
	Words string
	// Turns makes conversations of so many requests each, over two adapters; 0: none.
	Turns int
	// Agents makes it a fleet's: so many sent it, of the last a part is lost, and one more request was not sent; 0: one client.
	Agents int
	// Categories makes each request a question, over so many categories; 0: they are none.
	Categories int
	// Faulty kills a replica after half of the run and starts it after two thirds: what is sent between is refused, and
	// nothing else fails. A third fault can't be made. Only a run of a few hundred requests shows what was felt.
	Faulty   bool
	answered func(*journal.Answer)
	next     int
	see      func(*journal.Conversation)
	over     *journal.Conversation // has ended with the request before
}

// OnConversation asks for the lines of conversations.
func (j *Journal) OnConversation(see func(*journal.Conversation)) { j.see = see }

// Run is the first line.
func (j *Journal) Run() *journal.Run {
	run := &journal.Run{
		Schema: 1, Version: "0.1.0-test", StartUnixNs: 1794700000_000000000, Zone: "+02:00", Clock: "kernel",
		Command: []string{"inferometer", "bench", "serve", "--model", "org/sim", "--num-prompts", "40", "--label", j.Words},
		Options: journal.Options{
			Backend: "vllm", BaseURL: "http://127.0.0.1:18000", Endpoint: "/v1/completions", ModelID: "org/" + j.Words, Dataset: "random", Label: j.Words,
			NumPrompts: j.N, Pace: "constant", RequestRate: 100, Metadata: []journal.Pair{{j.Words, j.Words}},
		},
		Environment: journal.Environment{OS: "linux", Arch: "amd64", CPU: j.Words, Host: j.Words, CPUs: 2, GoMaxProcs: 2},
	}
	if j.Agents > 0 {
		run.Fleet = j.fleet()
	}
	if j.Faulty {
		run.Options.Workload = map[string]string{"load.faults": `[{"at": "1s"}]`}
	}
	if j.Categories > 0 {
		run.Task = j.task()
	}
	return run
}

// fleet is who sent it.
func (j *Journal) fleet() *journal.Fleet {
	f := &journal.Fleet{Run: "r1", Planned: j.N + 1}
	for i := range j.Agents {
		a := journal.FleetAgent{
			ID: fmt.Sprintf("agent-%d", i), Name: "node " + j.Words, Version: "0.1.0-test", Address: "10.0.0.1", Labels: map[string]string{"region": j.Words},
			Share: fmt.Sprintf("%d/%d", i+1, j.Agents), Planned: j.N / j.Agents, OffsetNs: int64(i) * 250 * ms, OffsetErrorNs: ms / 4, Read: true, SkewNs: int64(i) * ms / 2,
			Clock: "kernel", Environment: journal.Environment{OS: "linux", CPUs: 2, GoMaxProcs: 2},
		}
		if i == j.Agents-1 {
			a.Gone = "no word for 10 s: " + j.Words
		}
		f.Agents = append(f.Agents, a)
	}
	return f
}

func (j *Journal) lost(i int) bool { return i%j.Agents == j.Agents-1 && i%9 < 3 }

// agent gives a request its agent; of the last one every third is lost, and the last was not sent.
func (j *Journal) agent(r *journal.Request) {
	r.Agent = r.Index % j.Agents
	switch {
	case r.Index == j.N:
		*r = journal.Request{Index: r.Index, Agent: j.Agents - 1, Due: r.Due, Sent: r.Due, End: r.Due, Outcome: journal.Unsent, Error: "not sent: " + j.Words}
	case j.lost(r.Index):
		*r = journal.Request{Index: r.Index, Agent: r.Agent, Due: r.Due, Sent: r.Due, End: r.Due, Outcome: journal.Lost, Error: "it may have been sent: " + j.Words}
	}
}

// End is the last line.
func (j *Journal) End() *journal.End {
	end := &journal.End{At: int64(j.N) * 10 * ms, Sent: j.N, WorkloadSHA: "b5bb9d80"}
	if j.Agents > 0 {
		for i := range j.N {
			if j.lost(i) {
				end.Sent--
			}
		}
		end.Fleet = &journal.FleetEnd{Agents: make([]journal.FleetAgentEnd, j.Agents)}
		end.Fleet.Agents[0] = journal.FleetAgentEnd{Ended: true, Client: journal.Client{UserCPUNs: 300 * ms}, Duplicates: 1}
	}
	return end
}

// Next is the next request.
func (j *Journal) Next() (*journal.Request, error) {
	if j.over != nil && j.see != nil {
		j.see(j.over)
	}
	j.over = nil
	if j.next == j.N && j.Agents == 0 || j.next > j.N {
		return nil, io.EOF
	}
	i := j.next
	j.next++
	r := &journal.Request{
		Index: i, ID: "bench-1", Due: int64(i) * 10 * ms, Released: int64(i) * 10 * ms, Sent: int64(i)*10*ms + ms,
		Outcome: journal.Complete, Status: 200, PromptTokens: 8, OutputTokens: 4, UsagePrompt: 8, UsageOutput: 4,
	}
	for k := range 4 {
		r.Events.At = append(r.Events.At, int64(20+i%7+k)*ms)
		r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
	}
	r.End = r.Sent + 120*ms
	switch {
	case j.Faulty && i >= j.N/2 && i < j.N*2/3:
		r.Outcome, r.Error, r.Status, r.UsageOutput, r.Events = journal.Refused, j.Words, 0, 0, journal.Events{}
		r.End = r.Sent + ms
	case j.Faulty:
	case i%10 == 3:
		r.Outcome, r.Error = journal.StreamError, j.Words
	}
	if j.Turns > 0 {
		j.addTurn(r)
	}
	if j.Agents > 0 {
		j.agent(r)
	}
	if j.Categories > 0 && j.answered != nil {
		j.answered(j.answer(r))
	}
	return r, nil
}

// addTurn makes a request a turn, and ends its conversation with the last one. A turn
// that fails is followed by others all the same: reports compute nothing.
func (j *Journal) addTurn(r *journal.Request) {
	r.Conversation, r.Turn = r.Index/j.Turns+1, r.Index%j.Turns+1
	r.Model = []string{"law ", "med "}[r.Conversation%2] + j.Words
	r.UsagePrompt, r.UsageCached, r.CachedKnown = 8*r.Turn, 7*(r.Turn-1), true
	if r.Turn > 1 {
		r.After = []int{r.Index - 1}
	}
	if r.Turn == j.Turns {
		j.over = &journal.Conversation{
			Number: r.Conversation, Turns: j.Turns, Sent: j.Turns, Complete: j.Turns, Outcome: journal.ConversationComplete,
			Begin: int64(r.Index-j.Turns+1) * 10 * ms, End: r.End, Think: 5 * ms,
		}
	}
}

// Faults are what was done on purpose.
func (j *Journal) Faults() []journal.Fault {
	if !j.Faulty {
		return nil
	}
	at := func(i int) int64 { return int64(i)*10*ms - ms }
	return []journal.Fault{
		{At: at(j.N / 2), Done: at(j.N/2) + ms, Do: "kill", On: "r1 " + j.Words, Detail: j.Words},
		{At: at(j.N * 2 / 3), Done: at(j.N*2/3) + ms, Do: "start", On: "r1 " + j.Words},
		{At: at(j.N * 3 / 4), Do: "command", Detail: j.Words, Error: "exit status 1: " + j.Words},
	}
}

// Samples are none.
func (j *Journal) Samples() []journal.Sample { return nil }

// Scrapes are none.
func (j *Journal) Scrapes() []journal.Scrape { return nil }
