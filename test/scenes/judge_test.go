//go:build linux

package scenes

import (
	"strings"
	"testing"
)

// What was done to a measurement is named by its verdict. What else a busy machine does to the same run is named too, and
// is no fault: that nothing else is named where nothing else was done is held in virtual time (internal/bench, TestScenes).
func TestScenes(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			v := &sc.play(newStage(t)).Inferometer.Verdict
			for i := range v.Checks {
				if k := &v.Checks[i]; k.Level.Bad() || k.Name == sc.reason {
					t.Logf("%-10s %-16s %s: %s (because: %q)", k.Level, k.Name, k.Figure, k.Sentence, k.Because)
				}
			}
			switch k := v.Check(sc.reason); {
			case k == nil:
				t.Errorf("there is no check %s", sc.reason)
			case k.Level != sc.level:
				t.Errorf("%s is %s, want %s: %s", k.Name, k.Level, sc.level, k.Sentence)
			case !strings.Contains(k.Sentence, sc.words):
				t.Errorf("%s says %q, without %q", k.Name, k.Sentence, sc.words)
			}
		})
	}
}
