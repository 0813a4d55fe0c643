package message

import (
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	if h, err := Decode[Hello]([]byte(`{"agent":"a-1","name":"x\u001b[31m","labels":{"region":"eu\n"}}`)); err != nil || strings.ContainsAny(h.Name+h.Labels["region"], "\x1b\n") {
		t.Errorf("%+v, %v", h, err)
	}
	for _, text := range []string{
		``, `{}`, `[]`, `{"agent":"a"}x`, `{"agent":"../a"}`, `{"agent":"a.b"}`, `{"agent":"a","run":"*"}`, `{"agent":"` + strings.Repeat("a", 65) + `"}`,
	} {
		if h, err := Decode[Hello]([]byte(text)); err == nil {
			t.Errorf("%s was taken as %+v", text, h)
		}
	}
	for _, text := range []string{
		`{"kind":"offer"}`, `{"kind":"offer","run":"r","files":[{"sha256":"../../etc","bytes":1,"for":"dataset","name":"x"}]}`,
		`{"kind":"start","run":">"}`,
	} {
		if a, err := Decode[Ask]([]byte(text)); err == nil {
			t.Errorf("%s was taken as %+v", text, a)
		}
	}
	if _, err := Decode[Ask]([]byte(`{"kind":"clock"}`)); err != nil {
		t.Error(err)
	}
	if _, err := Decode[Status]([]byte(`{"run":"r","agent":"a","sent":-1}`)); err == nil {
		t.Error("a status of -1 requests was taken")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"protocol":1,"kind":"offer","run":"r1","spec":{"version":1},"files":[]}`))
	f.Add([]byte(`{"agent":"a","run":"r","phase":"running","sent":3,"live":{"ttft":{}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := Decode[Status](b); err == nil {
			if again, err := Encode(s); err != nil {
				t.Fatal(err)
			} else if _, err := Decode[Status](again); err != nil {
				t.Fatalf("%s: %v", again, err)
			}
		}
		_, _ = Decode[Hello](b)
		_, _ = Decode[Ask](b)
		_, _ = Decode[Answer](b)
	})
}
