package protocol

import (
	"net/http"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/send/wire"
)

// An event that did not end its read is known by it, whatever lay behind it.
func TestOpenEvents(t *testing.T) {
	const a, b = "data: {\"choices\":[{\"text\":\"a\"}]}\n\n", "data: {\"choices\":[{\"text\":\"b\"}]}\n\n"
	for _, tt := range []struct {
		name  string
		reads []string // "" between two pieces of one read, see at
		at    []int64
		want  []int
	}{
		{"each in its own read", []string{a, b}, []int64{1, 2}, nil},
		{"two in one read: the last ends it", []string{a + b}, []int64{1}, nil},
		{"two pieces of one read", []string{a, b}, []int64{1, 1}, nil},
		{"a part of the next", []string{a + b[:9], b[9:]}, []int64{1, 2}, []int{0}},
		{"a part of the next, which came in the same read", []string{a + b[:9], b[9:]}, []int64{1, 1}, nil},
		{"the end of the stream", []string{a, b + "data: [DONE]\n\n"}, []int64{1, 2}, []int{1}},
		{"a comment", []string{a + ": ping\n\n", b}, []int64{1, 2}, []int{0}},
		{"a comment before", []string{": ping\n\n" + a, b}, []int64{1, 2}, nil},
		{"something of HTTP", []string{a, "", b}, []int64{1, 1, 2}, []int{0}},
		{"something of HTTP in a later read", []string{a, "", b}, []int64{1, 2, 3}, nil},
		{"a name of the next", []string{a + "event: x\n", b}, []int64{1, 2}, []int{0}},
	} {
		backend, err := FindBackend("vllm")
		if err != nil {
			t.Fatal(err)
		}
		s := NewStream(backend)
		s.Reset(0)
		s.Head(200, http.Header{}, wire.Stamp{})
		for i, read := range tt.reads {
			s.Body([]byte(read), wire.Stamp{At: tt.at[i], Kernel: true})
		}
		if got := s.Trace.Open; !slices.Equal(got, tt.want) || len(s.Trace.Events) != 2 {
			t.Errorf("%s: open %v of %d events, want %v", tt.name, got, len(s.Trace.Events), tt.want)
		}
	}
}
