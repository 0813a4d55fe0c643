package report

import (
	"slices"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// setReplicas adds each of several servers and how far they lie apart; a run
// against one has no such key.
func setReplicas(o *object, p *measure.Replicas) {
	if p == nil {
		return
	}
	list := func(each []measure.ReplicaResult) []object {
		list := make([]object, len(each))
		for i := range each {
			list[i] = replicaObject(&each[i])
			if !p.Named() {
				for k := range list[i] {
					if slices.Contains(byAnswers, list[i][k].Key) {
						list[i][k].Value = nil
					}
				}
			}
		}
		return list
	}
	all := object{{"balance", orNull(p.Balance)}, {"each", list(p.Each)}}
	if len(p.Prefillers) > 0 {
		all.Set("prefillers", list(p.Prefillers))
	}
	if p.More != nil {
		all.Set("others", replicaObject(p.More))
	}
	if p.Unknown != nil {
		all.Set("not_known", replicaObject(p.Unknown))
	}
	all.Set("load", p.Load)
	all.Set("load_by", orNull(string(p.LoadBy)))
	all.Set("skew", p.Skew)
	if p.Affinity != nil {
		all.Set("affinity", p.Affinity)
	}
	o.Set("replicas", all)
}

// byAnswers are the keys of what answers tell: null where none says who gave it.
var byAnswers = []string{
	"requests", "share", "completed", "failed", "hung_up", "retries", "total_input_tokens", "total_output_tokens", "request_throughput", "output_throughput", "peak_concurrency",
}

func replicaObject(e *measure.ReplicaResult) object {
	o := object{
		{"name", e.Name},
		{"url", orNull(e.URL)},
		{"role", orNull(string(e.Role))},
		{"requests", e.Requests},
		{"share", e.Share},
		{"completed", e.Completed},
		{"failed", e.Failed},
		{"hung_up", e.HungUp},
		{"outcomes", outcomesObject(e.Outcomes)},
		{"retries", e.Retries},
		{"total_input_tokens", e.InputTokens},
		{"total_output_tokens", e.OutputTokens},
		{"request_throughput", e.RequestThroughput},
		{"output_throughput", e.OutputThroughput},
		{"peak_concurrency", e.PeakConcurrency},
		{"cached_share", cachedShare(&e.Cached)},
		{"first_s", e.First},
		{"last_s", e.Last},
		{"ttft", e.TTFT},
		{"tpot", e.TPOT},
		{"e2el", e.E2EL},
	}
	if own := e.Own; own != nil { // all that it says of itself is under the key server
		if own.Requests != nil {
			o.Set("counted_requests", own.Requests.Server)
		}
		o.Set("counted_hit_rate", own.PrefixHitRate)
	}
	return o
}

// cachedShare is null where nobody said what was cached.
func cachedShare(c *measure.Cached) any {
	if v, ok := c.Share(); ok {
		return v
	}
	return nil
}
