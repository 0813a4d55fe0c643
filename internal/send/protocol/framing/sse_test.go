package framing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parse feeds a stream cut into pieces and lists its events as "name|data".
func parse(pieces ...string) []string {
	var s SSE
	got := []string{}
	for _, p := range pieces {
		s.Feed([]byte(p), func(name, data []byte) { got = append(got, string(name)+"|"+string(data)) })
	}
	return got
}

func TestSSE(t *testing.T) {
	tests := []struct {
		name, stream string
		want         []string
	}{
		{"one event", "data: a\n\n", []string{"|a"}},
		{"no space after the colon", "data:a\n\n", []string{"|a"}},
		{"only one space is taken off", "data:  a \n\n", []string{"| a "}},
		{"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a", "|b"}},
		{"cr", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"mixed line ends", "data: a\r\n\ndata: b\n\r\n", []string{"|a", "|b"}},
		{"event line", "event: error\ndata: a\n\n", []string{"error|a"}},
		{"the name is for one event", "event: error\ndata: a\n\ndata: b\n\n", []string{"error|a", "|b"}},
		{"event line after data", "data: a\nevent: x\n\n", []string{"x|a"}},
		{"comments", ": ping\n\n:\ndata: a\n: ping\n\n", []string{"|a"}},
		{"several data lines", "data: a\ndata: b\ndata:\n\n", []string{"|a\nb\n"}},
		{"field without a colon", "data\n\n", []string{"|"}},
		{"unknown fields", "id: 1\nretry: 10\nfoo: bar\ndata: a\n\n", []string{"|a"}},
		{"blank lines alone", "\n\n\n", []string{}},
		{"event without data is dropped", "event: x\n\ndata: a\n\n", []string{"|a"}},
		{"no end, no event", "data: a\n\ndata: b\n", []string{"|a"}},
		{"byte order mark", "\xEF\xBB\xBFdata: a\n\n", []string{"|a"}},
		{"half a byte order mark is no mark", "\xEF\xBBdata: a\n\ndata: b\n\n", []string{"|b"}},
		{"name not at the line's start", " data: a\n\n", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parse(tt.stream)); diff != "" {
				t.Errorf("whole (-want +got):\n%s", diff)
			}
			for i := range len(tt.stream) + 1 {
				if diff := cmp.Diff(tt.want, parse(tt.stream[:i], tt.stream[i:])); diff != "" {
					t.Errorf("cut at %d (-want +got):\n%s", i, diff)
				}
			}
			if diff := cmp.Diff(tt.want, parse(strings.Split(tt.stream, "")...)); diff != "" {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSSEPending(t *testing.T) {
	for stream, want := range map[string]string{
		"data: [DONE]":         "[DONE]",
		"data: [DONE]\n":       "[DONE]",
		"data: [DONE]\n\n":     "",
		"data: a\n\ndata: b\r": "b",
		": ping":               "",
	} {
		var s SSE
		s.Feed([]byte(stream), func(_, _ []byte) {})
		if got := string(s.Pending()); got != want {
			t.Errorf("%q: pending %q, want %q", stream, got, want)
		}
	}
}

// The standard's rules written the slow and plain way.
func reference(stream string) []string {
	stream = strings.TrimPrefix(stream, string(byteOrderMark))
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	stream = strings.ReplaceAll(stream, "\r", "\n")
	lines := strings.Split(stream, "\n")
	got := []string{}
	name := ""
	var data []string
	for _, line := range lines[:len(lines)-1] { // what follows the last line end is no line
		if line == "" {
			if data != nil {
				got = append(got, name+"|"+strings.Join(data, "\n"))
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			name = value
		}
	}
	return got
}

func FuzzSSE(f *testing.F) {
	for _, s := range []string{"data: a\r\n\r\ndata:b\n\n", ": c\n\nevent: e\ndata\ndata: x\r\r", "\xEF\xBB\xBFdata: \xE2\x82\xAC\n\n"} {
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, stream string, step uint8) {
		want := reference(stream)
		if diff := cmp.Diff(want, parse(stream)); diff != "" {
			t.Errorf("whole (-want +got):\n%s", diff)
		}
		var pieces []string
		n := int(step%7) + 1
		for i := 0; i < len(stream); i += n {
			pieces = append(pieces, stream[i:min(i+n, len(stream))])
		}
		if diff := cmp.Diff(want, parse(pieces...)); diff != "" {
			t.Errorf("in pieces of %d (-want +got):\n%s", n, diff)
		}
	})
}

func BenchmarkSSE(b *testing.B) {
	event := []byte("data: {\"id\":\"cmpl-1\",\"choices\":[{\"index\":0,\"text\":\" word\"}]}\n\n")
	piece := bytes.Repeat(event, 4)
	var s SSE
	emit := func(_, _ []byte) {}
	b.SetBytes(int64(len(piece)))
	b.ReportAllocs()
	for b.Loop() {
		s.Feed(piece, emit)
	}
}
