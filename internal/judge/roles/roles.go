// Package roles is what is known of a run whose prompts are computed by other servers than those that answer: what each role
// says of itself, never merged, since both count the same prompts and requests; the gap before the second token; the parts of the
// time to the first token, where a server tells them; and which role is the narrower one, where that is clear.
package roles

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// Roles is a run with prefill and decode apart. What is not known is nil.
type Roles struct {
	Each      []Role     `json:"each,omitempty"` // prefill, then decode
	SecondGap *SecondGap `json:"second_token_gap,omitempty"`
	Stages    *Stages    `json:"server_stages,omitempty"`
	PerGPU    *PerGPU    `json:"per_gpu,omitempty"`
	Advice    *Advice    `json:"advice,omitempty"`
}

// Role is the servers of one role together.
type Role struct {
	Role    journal.Role    `json:"role"`
	Servers int             `json:"servers"`
	GPUs    int             `json:"gpus,omitempty"` // of these servers; 0: not known
	Told    *serving.Server `json:"-"`              // what they say of themselves, in the result under server.roles; nil: nothing

	// Computed are prompt tokens that came neither from a cache nor from another server.
	Computed *float64 `json:"computed_prompt_tokens,omitempty"`
	// TransferRate is bytes ÷ seconds of the transfers, by the servers' own counters: the speed while something was transferred.
	TransferRate *float64 `json:"transfer_bytes_per_s,omitempty"`
	// Energy is that of the role's own GPUs; nil: not known which they are, or what they took.
	Energy *Energy `json:"energy,omitempty"`
}

// Energy is what the GPUs of a role took. Prefill's goes into the tokens of prompts, decode's into those of answers.
type Energy struct {
	Devices  int      `json:"devices"`
	Joules   float64  `json:"joules"`
	Watts    float64  `json:"watts"` // the mean
	PerToken *float64 `json:"joules_per_token,omitempty"`
}

// PerGPU is tokens a second by two conventions that can't be compared with each other. All divides by every GPU, as runs without
// roles do. InferenceX divides what goes in by the GPUs of prefill and what comes out by those of decode.
type PerGPU struct {
	GPUs      int     `json:"gpus"`
	TotalAll  float64 `json:"total_tokens_per_s_per_gpu"`
	OutputAll float64 `json:"output_tokens_per_s_per_gpu"`
	// By the GPUs of the role alone; nil: it is not known how many these are.
	InputPrefill *float64 `json:"input_tokens_per_s_per_prefill_gpu,omitempty"`
	OutputDecode *float64 `json:"output_tokens_per_s_per_decode_gpu,omitempty"`
}

// Advice is which role needs more servers.
type Advice struct {
	Narrow   journal.Role `json:"narrow"`
	Evidence string       `json:"evidence"`
}

// Work is what the run did.
type Work struct {
	GPUs                 int // of all servers, as the user says; 0: not said
	Input, Output, Total float64
	Hardware             *hardware.Summary // nil: no device was asked
}

// Result puts together what is known; nil where prefill and decode are not apart, as far as anybody can tell.
func (c *Collector) Result(told *serving.Summary, work Work) *Roles {
	if !c.apart && !c.seen {
		return nil
	}
	out := &Roles{Stages: c.stages.result()}
	if g, ok := c.gaps.Result(); ok {
		out.SecondGap = &SecondGap{g.Answers, 1e3 * g.Median, 1e3 * g.Excess}
	}
	if !c.apart {
		return out
	}
	for _, role := range []journal.Role{journal.Prefill, journal.Decode} {
		one := roleOf(role, c.run.Replicas, told)
		one.Energy = energyOf(role, c.run.Replicas, &work)
		out.Each = append(out.Each, one)
	}
	prefill, decode := &out.Each[0], &out.Each[1]
	out.PerGPU = perGPU(prefill, decode, work)
	out.Advice = advise(prefill, decode)
	return out
}

// roleOf is one role. Who does both answers too, and counts for decode.
func roleOf(role journal.Role, replicas []journal.Replica, told *serving.Summary) Role {
	out := Role{Role: role}
	known := true
	for _, r := range replicas {
		if (r.Role == journal.Prefill) != (role == journal.Prefill) {
			continue
		}
		out.Servers++
		known = known && r.GPUs > 0
		out.GPUs += max(r.GPUs, 0)
	}
	if !known {
		out.GPUs = 0
	}
	if told == nil {
		return out
	}
	for i := range told.Roles {
		if told.Roles[i].Role == role {
			out.Told = &told.Roles[i]
		}
	}
	if s := out.Told; s != nil {
		out.Computed, out.TransferRate = computed(s), transferRate(s)
	}
	return out
}

// energyOf adds up the GPUs that are named for a role, idle ones too: they are there for it.
func energyOf(role journal.Role, replicas []journal.Replica, work *Work) *Energy {
	if work.Hardware == nil {
		return nil
	}
	named := map[string]bool{}
	for _, r := range replicas {
		if (r.Role == journal.Prefill) != (role == journal.Prefill) {
			continue
		}
		if len(r.Devices) == 0 {
			return nil
		}
		for _, id := range r.Devices {
			named[id] = true
		}
	}
	out := &Energy{}
	for _, d := range work.Hardware.Devices {
		if d.Kind != hardware.GPU || d.Same != "" || !named[d.ID] {
			continue
		}
		if d.EnergyJ == nil {
			return nil
		}
		out.Devices++
		out.Joules += *d.EnergyJ
	}
	if out.Devices == 0 || out.Devices != len(named) { // one tells nothing, or machines of a fleet have the same indexes
		return nil
	}
	out.Watts = out.Joules / work.Hardware.Seconds
	rate := work.Output
	if role == journal.Prefill {
		rate = work.Input
	}
	if rate > 0 {
		out.PerToken = new(out.Watts / rate)
	}
	return out
}

// computed is what the server says, or what is left of its prompts without those of either cache; nil: not known.
func computed(s *serving.Server) *float64 {
	if s.ComputedTokens != nil {
		return s.ComputedTokens
	}
	if s.PromptTokens == nil || s.LocalHits == nil || s.Transferred == nil {
		return nil
	}
	if v := s.PromptTokens.Server - *s.LocalHits - *s.Transferred; v >= 0 {
		return &v
	}
	return nil
}

func transferRate(s *serving.Server) *float64 {
	if s.Transfer == nil || s.TransferBytes == nil {
		return nil
	}
	if seconds := s.Transfer.Mean * s.Transfer.Count / 1e3; seconds > 0 && *s.TransferBytes > 0 {
		v := *s.TransferBytes / seconds
		return &v
	}
	return nil
}

// perGPU is nil where nobody said how many GPUs there are.
func perGPU(prefill, decode *Role, work Work) *PerGPU {
	all := work.GPUs
	if all == 0 && prefill.GPUs > 0 && decode.GPUs > 0 {
		all = prefill.GPUs + decode.GPUs
	}
	if all <= 0 {
		return nil
	}
	out := &PerGPU{GPUs: all, TotalAll: work.Total / float64(all), OutputAll: work.Output / float64(all)}
	if prefill.GPUs > 0 && decode.GPUs > 0 {
		in, gone := work.Input/float64(prefill.GPUs), work.Output/float64(decode.GPUs)
		out.InputPrefill, out.OutputDecode = &in, &gone
	}
	return out
}

// What is clear enough for advice: one role has a queue nearly always, the other hardly ever, and both were looked at often.
const (
	fewReads   = 10
	mostlyFull = 0.8 // share of the time in which there is a queue
	mostlyFree = 0.1
)

// advise is nil where the servers' queues show no clear case. That a cache is on its way is no queue: at any rate of requests
// some are.
func advise(prefill, decode *Role) *Advice {
	p, okP := queueOf(prefill)
	d, okD := queueOf(decode)
	switch {
	case !okP || !okD:
		return nil
	case p.full && d.free:
		return &Advice{journal.Prefill, evidence("prefill", &p, "decode", &d)}
	case d.full && p.free:
		return &Advice{journal.Decode, evidence("decode", &d, "prefill", &p)}
	}
	return nil
}

// queue is how the queue of a role was.
type queue struct {
	mean       float64 // requests that wait, for other things than a cache
	full, free bool
}

func queueOf(r *Role) (q queue, ok bool) {
	s := r.Told
	if s == nil || s.Waiting == nil || s.Waiting.Reads < fewReads {
		return q, false
	}
	q.mean = s.Waiting.Mean
	q.full = s.Waiting.Above >= mostlyFull
	q.free = s.Waiting.Above <= mostlyFree
	if s.AwaitTransfer != nil && s.Kind == "vLLM" { // its queue has those too whose cache is on its way
		q.mean = max(q.mean-s.AwaitTransfer.Mean, 0)
		q.free = q.mean <= mostlyFree
	}
	q.full = q.full && q.mean >= 1
	return q, true
}

func evidence(full string, f *queue, free string, e *queue) string {
	return fmt.Sprintf("%.1f requests wait for %s in the mean, and %.1f for %s", f.mean, full, e.mean, free)
}
