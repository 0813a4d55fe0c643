//go:build linux

package routers

import (
	"math"
	"net/http"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// One of two replicas answers every request with 500: the client sees a load without a failure, and the replicas work more than it asked for. How much
// more is exact.
func TestRetries(t *testing.T) {
	for _, r := range routers {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			well := startReplica(t, "--name", "well", "--ttft", "20ms", "--itl", "2ms")
			ill := startReplica(t, "--name", "ill", "--fault", "http-500=1")
			through := r.start(t, well.Base, ill.Base)
			const n = 30
			got := bench(t, through.Base, n, 0, "--request-rate", "30")
			if got.Completed != n {
				t.Fatalf("%d completed, outcomes %v, errors %v", got.Completed, got.Inferometer.Outcomes, got.Inferometer.Errors)
			}
			again := 0
			for _, rec := range ill.records(t) {
				if rec.Status != http.StatusInternalServerError {
					t.Errorf("the ill replica answered %d", rec.Status)
				}
				again++
			}
			told := 0
			for _, q := range got.requests {
				told += q.Retries
			}
			t.Logf("%d requests, %d more at the replicas, journal %d", n, again, told)
			k := got.check(t, "repeated_work")
			if !k.Level.Bad() || k.Value == nil || math.Abs(*k.Value-float64(again)/n) > 1e-9 {
				t.Errorf("repeated_work is %s, %s: %s", k.Level, k.Figure, k.Sentence)
			}
			if again == 0 {
				t.Error("nothing was sent again")
			}
			if r.tells && told != again {
				t.Errorf("the router told of %d requests sent again; there were %d", told, again)
			}
			if r.retries != "" {
				if counted := realserver.At(through.metrics).Counter(t, r.retries); counted != again {
					t.Errorf("%s is %d; there were %d", r.retries, counted, again)
				}
			}
		})
	}
}
