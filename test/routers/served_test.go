//go:build linux

package routers

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// Behind each router two replicas serve a load without a fault: every request is in exactly one replica's truth, nothing is there twice, and the
// journal names the one that it was: by the router's own sign, or by the replica's where the router has none.
func TestServed(t *testing.T) {
	for _, r := range routers {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			one, two := startReplica(t, "--name", "one", "--ttft", "20ms", "--itl", "2ms"), startReplica(t, "--name", "two", "--ttft", "20ms", "--itl", "2ms")
			names := map[string]string{one.Base: "one", two.Base: "two"}
			if r.sign != nil {
				names = map[string]string{one.Base: r.sign(one.Base), two.Base: r.sign(two.Base)}
			}
			through := r.start(t, one.Base, two.Base)
			const n = 40
			got := bench(t, through.Base, n, 0, "--request-rate", "40")
			if got.Completed != n {
				t.Fatalf("%d completed, outcomes %v, errors %v", got.Completed, got.Inferometer.Outcomes, got.Inferometer.Errors)
			}
			served := servedBy(t, one, two)
			if len(served) != n {
				t.Errorf("the replicas served %d texts, want %d", len(served), n)
			}
			counts := map[string]int{}
			for _, q := range got.requests {
				by := served[text(q)]
				if len(by) != 1 || q.Replica != names[by[0]] {
					t.Errorf("request %d was served by %v, and the journal says %q", q.Index, by, q.Replica)
					continue
				}
				counts[names[by[0]]]++
			}
			each := got.each(t)
			for _, one := range each {
				if one.Requests != counts[one.Name] || one.Completed != counts[one.Name] || one.Tokens != 8*counts[one.Name] {
					t.Errorf("the result has %+v; %d were served", one, counts[one.Name])
				}
			}
			if len(each) != len(counts) {
				t.Errorf("the result has replicas %+v; %v served", each, counts)
			}
			for _, k := range got.Inferometer.Verdict.Checks {
				if k.Level.Bad() && k.Group == "server" {
					t.Errorf("%s is %s: %s", k.Name, k.Level, k.Sentence)
				}
			}
			for _, name := range []string{"foreign_requests", "repeated_work"} {
				if k := got.check(t, name); r.lists && k.Level != verdict.OK {
					t.Errorf("%s is %s: %s", name, k.Level, k.Sentence)
				}
			}
			if got.Inferometer.Verdict.Level == verdict.TrustInvalid {
				t.Error("the run is invalid")
			}
			t.Logf("%s; %v", got.Inferometer.Verdict.Line(), got.Inferometer.Verdict.Reasons)
		})
	}
}

// servedBy gives for the hash of each text the replicas that have sent it whole, by the truth. A request's id does not come through every
// router; a text does, and each prompt has its own.
func servedBy(t testing.TB, replicas ...*replica) map[string][]string {
	t.Helper()
	by := map[string][]string{}
	for _, each := range replicas {
		for _, rec := range each.records(t) {
			if rec.Stream && rec.Finish == "length" { // a question before the run is no stream
				by[rec.TextSHA256] = append(by[rec.TextSHA256], each.Base)
			}
		}
	}
	return by
}

// text is the hash of what a request got.
func text(q *journal.Request) string {
	if q.Text == nil {
		return ""
	}
	sum := sha256.Sum256([]byte(*q.Text))
	return hex.EncodeToString(sum[:])
}
