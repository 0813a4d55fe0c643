package comparison

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/result"
)

func withReplicas(name string, each ...result.Replica) result.Result {
	return result.Result{Name: name, Tool: result.Inferometer, Values: map[string]float64{"request_throughput": 1}, Replicas: &result.Replicas{Each: each}}
}

func TestReplicasSideBySide(t *testing.T) {
	fast, slow := 10.0, 40.0
	a := withReplicas("a", result.Replica{Name: "r1\x1b[31m", Requests: 10, TTFT: &fast}, result.Replica{Name: "r2", Requests: 12, Failed: 1})
	b := withReplicas("b", result.Replica{Name: "r2", Requests: 30, TTFT: &slow}, result.Replica{Name: "new", Requests: 3})
	c, err := compare.Compare(sides(a, b), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := &text{}
	out.comparison(c)
	for _, want := range []string{"a: requests", "r2                12       1    n/a           30       0  40.00", "new              n/a"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("a name steers the terminal: %q", out)
	}
	other := withReplicas("c", result.Replica{Name: "x"}, result.Replica{Name: "y"})
	if c, err = compare.Compare(sides(a, other), compare.Options{}); err != nil || Replicas(c) != nil {
		t.Errorf("%v: replicas that have no name in common stand side by side", err)
	}
}

func TestManyReplicasSideBySide(t *testing.T) {
	var first, second []result.Replica
	for i := range 200 {
		first, second = append(first, result.Replica{Name: fmt.Sprint("r", i), Requests: 10}), append(second, result.Replica{Name: fmt.Sprint("r", i), Requests: 10 + i%7/6*50})
	}
	c, err := compare.Compare(sides(withReplicas("a", first...), withReplicas("b", second...)), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if of := Replicas(c); len(of.Rows) != maxReplicas || len(of.Notes) != 1 || *of.Rows[0][4].Value != 60 {
		t.Errorf("%d rows, %q, %+v", len(of.Rows), of.Notes, of.Rows[0])
	}
}
