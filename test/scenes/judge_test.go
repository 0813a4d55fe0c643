//go:build linux

package scenes

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/verdict"
)

// noise are reasons that a shared machine gives by itself.
var noise = []string{"steal", "cpu_wait"}

// symptoms are reasons that such noise has even where it stays below its own limits:
// let pass only if the same run shows the noise at half of them.
var symptoms = []string{"bounds", "lag", "lateness", "shared_reads", "drift", "server_ttft"}

func disturbed(v *verdict.Verdict) bool {
	above := func(name string, limit float64) bool {
		k := v.Check(name)
		return k.Value != nil && *k.Value > limit
	}
	return above("cpu_wait", 0.05) || above("steal", 0.01)
}

func TestScenes(t *testing.T) {
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			problems, taken := sc.problems(t)
			if len(problems) > 0 {
				t.Logf("once more, since the machine may have spoiled it:\n%s", strings.Join(problems, "\n"))
				problems, taken = sc.problems(t)
			}
			if len(problems) > 0 && taken {
				t.Skipf("the hypervisor took the machine twice, so that no scene can be told from that: %s", problems[0])
			}
			for _, p := range problems {
				t.Error(p)
			}
		})
	}
}

// problems plays the scene and says what is not as it should be, and whether the
// hypervisor took so much of the machine that the run is invalid for that alone.
func (sc *scene) problems(t *testing.T) (out []string, taken bool) {
	v := &sc.play(newStage(t)).Inferometer.Verdict
	if len(v.Checks) == 0 {
		return []string{"the result has no verdict"}, false
	}
	if k := v.Check("steal"); k != nil {
		taken = k.Value != nil && *k.Value > 0.10
	}
	for i := range v.Checks {
		if k := &v.Checks[i]; k.Level.Bad() || k.Name == sc.reason || slices.Contains(noise, k.Name) {
			t.Logf("%-10s %-16s %s: %s%s", k.Level, k.Name, k.Figure, k.Sentence, because(k))
		}
	}
	out = append(sc.missing(v), sc.unexplained(v)...)
	quiet := true
	for _, name := range v.Reasons {
		if name == sc.reason {
			continue
		}
		quiet = false
		if why := sc.passes(t, v, name); why != "" {
			t.Logf("%s is let pass: %s", name, why)
		} else {
			out = append(out, fmt.Sprintf("%s is a reason too, but nothing was done for it", name))
		}
	}
	if want := sc.trust(); quiet && v.Level != want {
		out = append(out, fmt.Sprintf("the verdict is %s for %v, want %s", v.Level, v.Reasons, want))
	}
	return out, taken
}

func because(k *verdict.Check) string {
	if k.Because == "" {
		return ""
	}
	return " (because: " + k.Because + ")"
}

// missing says what the reason lacks.
func (sc *scene) missing(v *verdict.Verdict) []string {
	k := v.Check(sc.reason)
	switch {
	case sc.reason == "":
		return nil
	case k == nil:
		return []string{"there is no check " + sc.reason}
	case k.Level != sc.level:
		return []string{fmt.Sprintf("%s is %s, want %s", k.Name, k.Level, sc.level)}
	case k.Because != "" && !slices.Contains(noise, k.Because): // what the machine did may have been worse
		return []string{fmt.Sprintf("%s is put down to %s, want it as a reason", k.Name, k.Because)}
	case !strings.Contains(k.Sentence, sc.words):
		return []string{fmt.Sprintf("%s says %q, without %q", k.Name, k.Sentence, sc.words)}
	}
	return nil
}

// unexplained are checks that the reason should have made bad, and put down to it.
func (sc *scene) unexplained(v *verdict.Verdict) (out []string) {
	for _, name := range sc.explained {
		if k := v.Check(name); k == nil || !k.Level.Bad() || k.Because != sc.reason {
			out = append(out, fmt.Sprintf("%s is %+v, want it bad because of %s", name, k, sc.reason))
		}
	}
	return out
}

// passes says why a reason that nobody asked for is none of the verdict's faults;
// empty: it is.
func (sc *scene) passes(t *testing.T, v *verdict.Verdict, name string) string {
	switch {
	case slices.Contains(sc.also, name):
		return "it is what was done"
	case slices.Contains(noise, name):
		return "this machine is shared"
	case slices.Contains(symptoms, name) && disturbed(v):
		return "others took the processors in this run"
	case sc.reason != "" && slices.Contains(control(newStage(t)).Inferometer.Verdict.Reasons, name):
		return "a control in the same minute has it too"
	}
	return ""
}

func (sc *scene) trust() verdict.Trust {
	switch sc.level {
	case verdict.Invalid:
		return verdict.TrustInvalid
	case verdict.Suspect:
		return verdict.TrustSuspect
	}
	return verdict.TrustValid
}
