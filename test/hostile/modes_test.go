package hostile

import (
	"maps"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// mode is one way to answer a request, and what is to be said of it, by whichever
// engine.
type mode struct {
	answer func(*client)
	want   journal.Outcome
	words  string // of the error
	// timeout is --request-timeout where the answer never ends: long enough for the good
	// answer on a busy machine. The others have time: how fast they are is not the point.
	timeout time.Duration
}

// modes by name.
var modes = func() map[string]mode {
	all := map[string]mode{}
	for _, m := range []map[string]mode{floods, framings, events, counts, endings, words} {
		for name, one := range m {
			if _, twice := all[name]; twice {
				panic("two modes are named " + name)
			}
			all[name] = one
		}
	}
	return all
}()

func modeNames() []string { return slices.Sorted(maps.Keys(modes)) }

// says is a mode that sends something and leaves the connection open.
func says(want journal.Outcome, words string, parts ...string) mode {
	return mode{answer: func(c *client) { c.send(parts...) }, want: want, words: words}
}

// saysAndCloses ends the connection behind it.
func saysAndCloses(want journal.Outcome, words string, parts ...string) mode {
	return mode{answer: func(c *client) { c.send(parts...); c.fin() }, want: want, words: words}
}

// saysAndResets breaks it.
func saysAndResets(want journal.Outcome, words string, parts ...string) mode {
	return mode{answer: func(c *client) { c.send(parts...); c.reset() }, want: want, words: words}
}

// saysAndWaits never ends.
func saysAndWaits(words string, parts ...string) mode {
	return mode{answer: func(c *client) { c.send(parts...); c.hang() }, want: journal.Timeout, words: words, timeout: 10 * time.Second}
}

// floodsWith goes on until the client has had enough.
func floodsWith(want journal.Outcome, words, first, piece string) mode {
	return mode{answer: func(c *client) { c.send(first); c.flood(piece) }, want: want, words: words}
}

// streams is a body in good framing.
func streams(want journal.Outcome, words string, body ...string) mode {
	all := ""
	for _, b := range body {
		all += b
	}
	return mode{answer: func(c *client) { c.send(head, chunk(all), lastChunk) }, want: want, words: words}
}
