package front_test

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/show/front"
)

func TestPicture(t *testing.T) {
	const bad = `"><script>alert(1)</script>`
	f := &compare.Front{Points: []compare.FrontPoint{
		{Name: "fp8" + bad, Throughput: 1480, Accuracy: 0.848, Low: 0.82, High: 0.87, On: true},
		{Name: "fp16", Throughput: 1000, Accuracy: 0.8466, Low: 0.818, High: 0.871, By: "fp8" + bad, Doubt: true, Against: "fp8" + bad},
	}}
	var b strings.Builder
	if err := front.Chart(f).Inline(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "<script>") {
		t.Errorf("a name became an element:\n%s", text)
	}
	for _, want := range []string{"<svg", "accuracy 0.8466 [0.818, 0.871]", "can&#39;t be told", "fp16"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "<circle"); n < 2 {
		t.Errorf("%d points", n)
	}
	if got := front.Chart(nil); got != nil {
		t.Errorf("no front: %+v", got)
	}
}
