package seal

import (
	"bytes"
	"crypto/hpke"
	"maps"
	"slices"
	"strings"
	"testing"
)

func newKey(t testing.TB) *Key {
	t.Helper()
	k, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Only the agent that it was made for opens it, in the run that it was made for, and unchanged.
func TestSeal(t *testing.T) {
	one, other := newKey(t), newKey(t)
	secrets := map[string]string{"OPENAI_API_KEY": "sk-very-secret", "header Authorization": "Bearer \x00 ü \"x\""}
	sealed, err := Seal(one.Public(), "run-1", "agent-1", secrets)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte("very-secret")) {
		t.Fatal("the secret can be read")
	}
	if got, err := one.Open("run-1", "agent-1", sealed); err != nil || !maps.Equal(got, secrets) {
		t.Errorf("%v, %v", got, err)
	}
	if again, _ := Seal(one.Public(), "run-1", "agent-1", secrets); bytes.Equal(again, sealed) {
		t.Error("the same secrets sealed twice look the same")
	}
	for what, open := range map[string]func() (map[string]string, error){
		"another key":            func() (map[string]string, error) { return other.Open("run-1", "agent-1", sealed) },
		"another run":            func() (map[string]string, error) { return one.Open("run-2", "agent-1", sealed) },
		"another agent":          func() (map[string]string, error) { return one.Open("run-1", "agent-2", sealed) },
		"run and agent in turns": func() (map[string]string, error) { return one.Open("agent-1", "run-1", sealed) },
		"no run":                 func() (map[string]string, error) { return one.Open("", "agent-1", sealed) },
		"an id that is none":     func() (map[string]string, error) { return one.Open("run-1/agent-1", "x", sealed) },
		"nothing":                func() (map[string]string, error) { return one.Open("run-1", "agent-1", nil) },
		"too much": func() (map[string]string, error) {
			return one.Open("run-1", "agent-1", append(slices.Clone(sealed), make([]byte, mostSealed)...))
		},
		"one byte more": func() (map[string]string, error) {
			return one.Open("run-1", "agent-1", append(slices.Clone(sealed), 0))
		},
	} {
		if got, err := open(); err == nil || got != nil || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s opened it: %v, %v", what, got, err)
		}
	}
	for i := range sealed {
		for _, bit := range []byte{1, 0x80} { // X25519 passes over the highest bit of its key
			changed := slices.Clone(sealed)
			changed[i] ^= bit
			if _, err := one.Open("run-1", "agent-1", changed); err == nil {
				t.Errorf("byte %d was changed, and it opened", i)
			}
		}
	}
}

func TestSealRefuses(t *testing.T) {
	k := newKey(t)
	many := map[string]string{}
	for i := range mostSecrets + 1 {
		many[strings.Repeat("x", i+1)] = ""
	}
	for what, err := range map[string]error{
		"no key":       second(Seal(nil, "r", "a", nil)),
		"a short key":  second(Seal(k.Public()[:31], "r", "a", nil)),
		"zeros":        second(Seal(make([]byte, 32), "r", "a", nil)), // of small order: the secret would be known to all
		"an odd run":   second(Seal(k.Public(), "r.*", "a", nil)),
		"an odd agent": second(Seal(k.Public(), "r", "", nil)),
		"many":         second(Seal(k.Public(), "r", "a", many)),
		"no text":      second(Seal(k.Public(), "r", "a", map[string]string{"k": "\xff"})),
		"a long one":   second(Seal(k.Public(), "r", "a", map[string]string{"k": strings.Repeat("s", mostPlain)})),
	} {
		if err == nil {
			t.Errorf("%s was taken", what)
		} else if strings.Contains(err.Error(), "sss") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if sealed, err := Seal(k.Public(), "r", "a", nil); err != nil {
		t.Error(err)
	} else if got, err := k.Open("r", "a", sealed); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func second(_ []byte, err error) error { return err }

// FuzzOpen: whatever the bytes are, and whatever a leader sealed.
func FuzzOpen(f *testing.F) {
	k := newKey(f)
	sealed, err := Seal(k.Public(), "r", "a", map[string]string{"k": "secret"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed)
	f.Add(sealed[:overhead])
	f.Add([]byte(`{"k":"v"}`))
	f.Add([]byte(`[[[[`))
	info, _ := purpose("r", "a")
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, err := k.Open("r", "a", b); (err == nil) == (got == nil) && err != nil {
			t.Errorf("%v, %v", got, err)
		}
		inside, err := hpke.Seal(k.private.PublicKey(), kdf(), aead(), info, b)
		if err != nil {
			t.Skip()
		}
		if got, err := k.Open("r", "a", inside); err != nil && got != nil || len(got) > mostSecrets {
			t.Errorf("%v, %v", got, err)
		}
	})
}
