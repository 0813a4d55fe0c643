package hostile

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// framings are about HTTP itself: lengths, chunks, headers, versions.
var framings = map[string]mode{
	"few-1xx":      says(journal.Complete, "", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", head, chunk(goodBody), lastChunk),
	"sw101":        saysAndCloses(journal.Protocol, "HTTP 101", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n", strings.Repeat("junk", 1000)),
	"http10":       saysAndCloses(journal.Complete, "", "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", goodBody),
	"http10-te":    saysAndCloses(journal.Complete, "", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(goodBody), lastChunk),
	"http09":       saysAndCloses(journal.Protocol, "", goodBody),
	"http2preface": saysAndCloses(journal.Protocol, "", "\x00\x00\x12\x04\x00\x00\x00\x00\x00"+strings.Repeat("\x00", 18)),

	"big-chunk":      saysAndWaits("[DONE] came", head, "fffffffffffffff\r\n", goodBody),
	"big-chunk16":    saysAndWaits("[DONE] came", head, "ffffffffffffffff\r\n", goodBody),
	"big-chunk17":    says(journal.Protocol, "", head, "10000000000000000\r\n", goodBody),
	"neg-chunk":      says(journal.Protocol, "", head, "-5\r\n", goodBody),
	"hex0x-chunk":    says(journal.Protocol, "", head, "0x5\r\n", goodBody),
	"empty-chunk":    says(journal.Protocol, "", head, "\r\n", goodBody),
	"leading0-chunk": says(journal.Protocol, "", head, strings.Repeat("0", 24), chunk(goodBody), lastChunk),
	"chunk-too-long": says(journal.Protocol, "", head, "5\r\n", goodBody),

	"neg-cl":    says(journal.Protocol, "", plainHead, "Content-Length: -5\r\n\r\n", goodBody),
	"huge-cl":   saysAndWaits("[DONE] came", plainHead, "Content-Length: 999999999999999999\r\n\r\n", goodBody),
	"over-cl":   says(journal.Protocol, "", plainHead, "Content-Length: 99999999999999999999999\r\n\r\n", goodBody),
	"two-cl":    says(journal.Protocol, "", plainHead, length(), "Content-Length: 5\r\n\r\n", goodBody),
	"same-cl":   says(journal.Complete, "", plainHead, length(), length(), "\r\n", goodBody),
	"plus-cl":   says(journal.Protocol, "", plainHead, fmt.Sprintf("Content-Length: +%d\r\n\r\n", len(goodBody)), goodBody),
	"list-cl":   says(journal.Protocol, "", plainHead, fmt.Sprintf("Content-Length: %d, %d\r\n\r\n", len(goodBody), len(goodBody)), goodBody),
	"cl-and-te": says(journal.Complete, "", plainHead, "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(goodBody), lastChunk),

	"te-gzip-chunked": says(journal.Protocol, "", plainHead, "Transfer-Encoding: gzip, chunked\r\n\r\n", chunk(gzipped(goodBody)), lastChunk),
	"te-identity":     saysAndCloses(journal.Protocol, "", plainHead, "Transfer-Encoding: identity\r\n\r\n", goodBody),
	"gzip-ce":         compressed("gzip", gzipped(goodBody)),
	"deflate-ce":      compressed("deflate", deflated(goodBody)),
	"br-ce":           compressed("br", "\x0b\x02\x80hi"),

	"redir302":  says(journal.Protocol, "HTTP 302", "HTTP/1.1 302 Found\r\nLocation: /leak/v1/chat/completions\r\nContent-Length: 0\r\n\r\n"),
	"redir307":  says(journal.Protocol, "HTTP 307", "HTTP/1.1 307 Temporary\r\nLocation: /leak/v1/chat/completions\r\nContent-Length: 0\r\n\r\n"),
	"status201": says(journal.Protocol, "HTTP 201", "HTTP/1.1 201 Created\r\n", length(), "\r\n", goodBody),
	"status204": says(journal.Protocol, "HTTP 204", "HTTP/1.1 204 No Content\r\n\r\n"),
	"status999": says(journal.HTTP5xx, "HTTP 999", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n"),
	"status099": says(journal.Protocol, "", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n"),
	"empty200":  says(journal.Truncated, "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
	"429":       says(journal.HTTP4xx, "slow down", "HTTP/1.1 429 Too Many\r\nRetry-After: 3600\r\nContent-Length: 33\r\n\r\n", `{"error":{"message":"slow down"}}`),

	"close-delim":       saysAndCloses(journal.Complete, "", plainHead, "\r\n", goodBody),
	"close-delim-trunc": saysAndCloses(journal.Truncated, "", plainHead, "\r\n", token("hi")),
	"nul-header":        says(journal.Protocol, "", plainHead, "X-\x00: a\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(goodBody), lastChunk),
	"nul-hvalue":        says(journal.Protocol, "", plainHead, "X-Request-Id: a\x00\x1b[31m\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(goodBody), lastChunk),
	"fold-header":       says(journal.Complete, "", plainHead, "X-A: b\r\n c\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(goodBody), lastChunk),
	"lf-only":           says(journal.Protocol, "", strings.ReplaceAll(head+chunk(goodBody)+lastChunk, "\r\n", "\n")),
	"lf-header":         says(journal.Complete, "", strings.ReplaceAll(head, "\r\n", "\n"), chunk(goodBody), lastChunk),

	"trailing-garbage": says(journal.Complete, "", head, chunk(goodBody), lastChunk+strings.Repeat("GARBAGE", 100)),
	"extra-response":   says(journal.Complete, "", head+chunk(goodBody)+lastChunk+head+chunk(token("EVIL")+done)+lastChunk),
	"extra-response-later": {answer: func(c *client) {
		good(c)
		time.Sleep(50 * time.Millisecond)
		c.send(head, chunk(token("EVIL")+done), lastChunk)
	}, want: journal.Complete},

	"slowloris-head": {func(c *client) { c.drip(head, time.Second) }, journal.Timeout, "before an answer", 1500 * time.Millisecond},
	"slowloris-body": {func(c *client) { c.send(head); c.drip(chunk(goodBody), time.Second) }, journal.Timeout, "after 0 events", 1500 * time.Millisecond},
	"byte-by-byte":   {answer: func(c *client) { c.drip(head+chunk(goodBody)+lastChunk, 200*time.Microsecond) }, want: journal.Complete},
}

func length() string { return fmt.Sprintf("Content-Length: %d\r\n", len(goodBody)) }

// compressed is an answer in a coding that nobody asked for.
func compressed(coding, body string) mode {
	return says(journal.Protocol, "the answer is compressed", plainHead, fmt.Sprintf("Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n", coding, len(body)), body)
}

func gzipped(text string) string {
	return packed(text, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func deflated(text string) string {
	return packed(text, func(w io.Writer) io.WriteCloser {
		f, err := flate.NewWriter(w, flate.BestCompression)
		if err != nil {
			panic(err) // the level is right
		}
		return f
	})
}

func packed(text string, by func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := by(&b)
	_, _ = io.WriteString(w, text) // memory takes everything
	_ = w.Close()
	return b.String()
}
