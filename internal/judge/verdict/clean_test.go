package verdict

import (
	"encoding/json"
	"strings"
	"testing"
)

// A run in which nothing went wrong is VALID, and no check finds anything.
func TestACleanRunIsValid(t *testing.T) {
	for name, w := range map[string]*world{"open loop": openLoop(), "closed loop": closedLoop()} {
		t.Run(name, func(t *testing.T) {
			w.derive()
			v := w.judge(t, Options{})
			if v.Level != TrustValid || len(v.Reasons) != 0 {
				t.Errorf("%s, for %v: %v", v.Level, v.Reasons, bad(v))
			}
			for _, k := range v.Checks {
				t.Logf("%-12s %-20s %-10s %s", k.Level, k.Name, k.Figure, k.Sentence)
				if k.Sentence == "" || k.Threshold == "" || k.Group == "" {
					t.Errorf("%s has no sentence, threshold or group", k.Name)
				}
				if k.Hint != "" || k.Effect != "" {
					t.Errorf("%s is %s and has a hint or an effect", k.Name, k.Level)
				}
			}
		})
	}
}

func TestTheVerdictIsJSON(t *testing.T) {
	w := openLoop()
	w.derive()
	w.end.SeenPrompts = 600
	after("vllm:prefix_cache_hits_total", 1)(w)
	b, err := json.Marshal(w.judge(t, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"level":"INVALID","reasons":["seen_prompts"],"checks":[{"name":"bounds","group":"client","level":"ok","figure":"0.00082 %",`,
		`{"name":"seen_prompts","group":"cache","level":"invalid","figure":"50.0 %","value":0.5,"threshold":"suspect above 1 %, invalid above 10 %`,
		`{"name":"integrity","group":"answers","level":"not checked","value":null,`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s is not in\n%s", want, b)
		}
	}
}
