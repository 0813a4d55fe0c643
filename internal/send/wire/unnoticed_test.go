package wire

import (
	"testing"
)

// What bench/mutation broke and nothing noticed: small things, each held by itself.

// A clock that is set to zero again says how far it moved since the last time, not since it was made.
func TestAClockIsRestartedTwice(t *testing.T) {
	c := NewClock()
	sum := c.Restart() + c.Restart() + c.Restart()
	if zero := c.zero.Load(); sum != zero {
		t.Errorf("the zero lies %d from the start, and moved by %d in all", zero, sum)
	}
}

// What the kernel counts of a connection is taken off by what it had counted before.
func TestSegmentsSinceTheRequestBefore(t *testing.T) {
	before, now := segments{resent: 2, reordered: 3, rtt: 90}, segments{resent: 7, reordered: 5, rtt: 80}
	if got := now.since(before); got != (segments{resent: 5, reordered: 2, rtt: 80}) {
		t.Errorf("%+v since %+v: %+v", now, before, got)
	}
	for _, unknown := range [][2]segments{{unknownSegments, before}, {now, unknownSegments}} {
		if got := unknown[0].since(unknown[1]); got != unknownSegments {
			t.Errorf("%+v since %+v: %+v", unknown[0], unknown[1], got)
		}
	}
}

// HTTP/1.0 closes a connection unless it says otherwise, and HTTP/1.1 keeps it.
func TestWhichConnectionsAreKept(t *testing.T) {
	for _, tt := range []struct {
		head  string
		close bool
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n", true},
		{"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n", true},
		{"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: Keep-Alive\r\n", false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nServer: llama.cpp\r\n", true},
		{"HTTP/1.1 200 OK\r\n", true},
	} {
		var h http1
		if _, _, err := h.feed([]byte(tt.head+"\r\nok"), Stamp{}, &answerSink{}); err != nil || h.close != tt.close {
			t.Errorf("%q: closed %v, %v", tt.head, h.close, err)
		}
	}
}

// behindSink counts what the parser says came behind the data of a read.
type behindSink struct {
	answerSink
	behind int
}

func (s *behindSink) Body(data []byte, at Stamp) bool {
	if len(data) == 0 {
		s.behind++
	}
	return s.answerSink.Body(data, at)
}

// The end of a chunk belongs to its data. What begins the next one, or ends the body, came behind it.
func TestWhatComesBehindTheDataOfARead(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name   string
		reads  []string
		behind []int // after each read of the body
	}{
		{"whole chunks", []string{"5\r\nhello\r\n", "1\r\n!\r\n"}, []int{0, 0}},
		{"with a part of the next one", []string{"5\r\nhello\r\n1", "\r\n!\r\n"}, []int{1, 1}},
		{"with the end of the body", []string{"5\r\nhello\r\n0\r\n\r\n"}, []int{1}},
		{"without the end of its chunk", []string{"5\r\nhello", "\r\n"}, []int{0, 0}},
		{"with the body's end behind the end of a chunk", []string{"5\r\nhello", "\r\n0\r\n\r\n"}, []int{0, 1}},
	} {
		var h http1
		var sink behindSink
		if _, _, err := h.feed([]byte(head), Stamp{}, &sink); err != nil {
			t.Fatal(err)
		}
		sink.behind = 0
		for i, read := range tt.reads {
			if _, _, err := h.feed([]byte(read), Stamp{}, &sink); err != nil || sink.behind != tt.behind[i] {
				t.Errorf("%s, read %d: %d times, want %d (%v)", tt.name, i, sink.behind, tt.behind[i], err)
			}
		}
	}
}

// Of two lengths that differ neither can be believed.
func TestTwoLengthsMustAgree(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: "
	if got := ours(head+"2\r\n\r\nok", 100); got.err != nil || got.body != "ok" {
		t.Errorf("the same length twice: %+v", got)
	}
	if got := ours(head+"3\r\n\r\nok!", 100); got.err == nil {
		t.Errorf("two lengths: %+v", got)
	}
}
