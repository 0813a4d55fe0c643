package fault

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/target"
)

func TestTexts(t *testing.T) {
	var l List
	if err := l.SetTexts([]string{"10s: kubectl delete pod llm-0", "500 requests: echo a: b", "0.5: true"}); err != nil {
		t.Fatal(err)
	}
	want := List{
		{At: 10 * time.Second, Do: Command, Args: target.Shell("kubectl delete pod llm-0")},
		{After: 500, Do: Command, Args: target.Shell("echo a: b")},
		{At: 500 * time.Millisecond, Do: Command, Args: target.Shell("true")},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Error(diff)
	}
	var again List
	if err := again.SetTexts(l.Texts()); err != nil || !cmp.Equal(l, again) {
		t.Errorf("%q: %v, %+v", l.Texts(), err, again)
	}
	for text, want := range map[string]string{
		"kubectl delete pod x": "needs a time and a command",
		"10s:":                 "needs a time and a command",
		"soon: echo":           "needs a time span such as 90s",
		"0 requests: echo":     "needs at least one request",
		"x requests: echo":     "needs a whole number",
		"-1s: echo":            "can't be negative",
	} {
		if err := l.SetTexts([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A fault comes back from JSON as it was, in every field, and what nobody knows is an error.
func TestJSON(t *testing.T) {
	f := Fault{At: time.Second, After: 2, Do: "x", On: "a", For: time.Minute, By: time.Millisecond, How: "h", To: 3, Name: "n", Path: "/p", Args: []string{"a", "b"}}
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var back Fault
	if err := json.Unmarshal(b, &back); err != nil || !cmp.Equal(f, back) {
		t.Errorf("%s: %v, %+v", b, err, back)
	}
	for _, text := range []string{`{"do":"kill","onn":"a"}`, `{"do":"kill","at":"soon"}`, `{"do":"kill","at":-1}`, `[]`} {
		if err := json.Unmarshal([]byte(text), &back); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// Every kind has what it needs: none is taken without it, and what ends one is a kind.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		good := Fault{Do: k.name, On: "a", By: time.Second, Name: "n", Path: "/p"}
		if k.name == Command {
			good.Args = []string{"true"}
		}
		if err := good.Check(); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		bare := Fault{Do: k.name}
		if err := bare.Check(); (err == nil) != (k.name == Scale || k.name == ResetCache) {
			t.Errorf("%s with nothing: %v", k.name, err)
		}
		undo, ok := good.Undo()
		if ok != (k.undo != "") || ok && find(undo.Do).name == "" || ok && undo.On != "a" {
			t.Errorf("%s is ended by %+v, %v", k.name, undo, ok)
		}
	}
	if (&Fault{Do: "explode"}).Check() == nil || make(List, maxFaults+1).Check() == nil {
		t.Error("a kind that is none, or too many, are taken")
	}
}

// FuzzFault: a fault of somebody else's Spec is an error or is written as it was read.
func FuzzFault(f *testing.F) {
	f.Add([]byte(`{"at":"1s","do":"kill","on":"backend-2"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var one, back Fault
		if json.Unmarshal(b, &one) != nil || one.Check() != nil {
			return
		}
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &back); err != nil || one.String() != back.String() || one.At != back.At {
			t.Errorf("%s became %s: %v", b, text, err)
		}
	})
}
