package hostile

import (
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// floods never end, or are larger than anything that an answer holds.
var floods = map[string]mode{
	"endless-line":       floodsWith(journal.Protocol, "a line of the stream is longer than", head+chunk(`data: {"x":"`), chunk(strings.Repeat("a", 32<<10))),
	"endless-data-lines": floodsWith(journal.Protocol, "an event of the stream is longer than", head, chunk(strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", 30))),
	"endless-event-name": floodsWith(journal.Protocol, "a line of the stream is longer than", head+chunk("event: "), chunk(strings.Repeat("a", 32<<10))),
	"endless-comments":   {func(c *client) { c.send(head); c.flood(chunk(strings.Repeat(": ping\n", 4000))) }, journal.Timeout, "after 0 events", time.Second},
	"endless-tokens":     floodsWith(journal.Long, "2 were asked for", head, chunk(strings.Repeat(token("abcdefgh"), 200))),
	"endless-tiny":       floodsWith(journal.Protocol, "it has more than 10072 events", head, chunk(strings.Repeat("data:{}\n\n", 3000))),
	"endless-headers":    floodsWith(journal.Protocol, "", "HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("b", 1000)+"\r\n"),
	"endless-one-header": floodsWith(journal.Protocol, "", "HTTP/1.1 200 OK\r\nX-A: ", strings.Repeat("b", 32<<10)),
	"endless-status":     floodsWith(journal.Protocol, "", "HTTP/1.1 200 ", strings.Repeat("b", 32<<10)),
	"endless-trailers":   floodsWith(journal.Complete, "", head+chunk(goodBody)+"0\r\n", "X-A: "+strings.Repeat("b", 1000)+"\r\n"),
	"endless-chunkext":   floodsWith(journal.Protocol, "", head+"5;", strings.Repeat("b", 32<<10)),
	"endless-1xx":        floodsWith(journal.Protocol, "too many 1xx", "", "HTTP/1.1 100 Continue\r\n\r\n"),
	"503-endless":        floodsWith(journal.HTTP5xx, "HTTP 503: eee", "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(strings.Repeat("e", 32<<10))),
	"404-endless-nolen":  floodsWith(journal.HTTP4xx, "HTTP 404: eee", "HTTP/1.1 404 X\r\n\r\n", strings.Repeat("e", 32<<10)),
	"html200-endless":    floodsWith(journal.Protocol, "HTML page", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", strings.Repeat("<p>hello</p>", 3000)),
	"after-done-flood":   floodsWith(journal.Protocol, "after [DONE]", head+chunk(goodBody), chunk(strings.Repeat(token("late"), 200))),

	"million-tiny":   streams(journal.Long, "2 were asked for", strings.Repeat(token("a"), 1_000_000), finish("b", "stop"), usage, done),
	"huge-event":     huge("a line of the stream is longer than", `data: {"choices":[{"delta":{"content":"`),
	"huge-finish":    huge("a line of the stream is longer than", `data: {"choices":[{"delta":{},"finish_reason":"`),
	"huge-id":        huge("a line of the stream is longer than", `data: {"id":"`),
	"huge-error":     huge("a line of the stream is longer than", `data: {"error":{"message":"`),
	"huge-malformed": huge("a line of the stream is longer than", `data: {`),
	"many-choices":   streams(journal.Complete, "", event(`{"choices":[`+strings.Repeat(`{"delta":{"content":"a"}},`, 200_000)+`{}]}`), goodBody),
	"gzip-bomb":      compressed("gzip", gzipped(strings.Repeat("\x00", 64<<20))),
}

// huge is one event with a string of 50 MB.
func huge(words, begin string) mode {
	return mode{answer: func(c *client) {
		c.send(head, chunk(begin))
		for range 50 {
			c.send(chunk(strings.Repeat("a", 1<<20)))
		}
		c.send(chunk("\"}\n\n"), chunk(goodBody), lastChunk)
	}, want: journal.Protocol, words: words}
}
