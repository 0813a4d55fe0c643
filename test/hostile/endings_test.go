package hostile

import (
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// endings are about where a connection ends, and how.
var endings = map[string]mode{
	"never":          {func(c *client) { c.hang() }, journal.Timeout, "before an answer", time.Second},
	"half-close":     saysAndCloses(journal.Reset, ""),
	"half-close-mid": saysAndCloses(journal.Truncated, "after 1 events", head, chunk(token("hi"))),

	"rst-after-req":    saysAndResets(journal.Reset, ""),
	"rst-in-status":    saysAndResets(journal.Protocol, "", "HTTP/1.1 2"),
	"rst-in-head":      saysAndResets(journal.Reset, "", plainHead),
	"rst-after-head":   saysAndResets(journal.Reset, "after 0 events", head),
	"rst-in-chunksize": saysAndResets(journal.Reset, "after 0 events", head, "1f"),
	"rst-in-event":     saysAndResets(journal.Reset, "after 0 events", head, chunk(token("hi")[:20])),
	"rst-between":      saysAndResets(journal.Reset, "after 1 events", head, chunk(token("hi"))),
	"rst-after-finish": saysAndResets(journal.Complete, "", head, chunk(token("hi")+finish("yo", "length"))),
	"rst-after-done":   saysAndResets(journal.Complete, "", head, chunk(goodBody)),
	"rst-after-zero":   saysAndResets(journal.Complete, "", head, chunk(goodBody), "0\r\n"),

	"fin-in-status":         saysAndCloses(journal.Protocol, "", "HTTP/1.1 2"),
	"fin-in-head":           saysAndCloses(journal.Reset, "", plainHead),
	"fin-in-event":          saysAndCloses(journal.Truncated, "after 0 events", head, chunk(token("hi")[:20])),
	"fin-after-done-nozero": saysAndCloses(journal.Complete, "", head, chunk(goodBody)),
}

// words hold what a terminal, a page or a table could take for a command.
var words = map[string]mode{
	"esc-error":     streams(journal.StreamError, "red | pipe", event(`{"error":{"message":"\u001b]0;PWNED\u0007\u001b[2J\u001b[31mred | pipe | <script>alert(1)</script> =cmd()"}}`)),
	"esc-raw500":    says(journal.HTTP5xx, "line2", "HTTP/1.1 500 X\r\nContent-Length: 52\r\n\r\n", "\x1b]0;PWNED\x07\x1b[2J\x1b[31mred\nline2\rover | pipe <img src=x>"),
	"esc-finish":    streams(journal.Complete, "", token("hi"), finish("x", "\x1b[31mEVIL|<script>document.title=\"XSS\"</script>"), done),
	"esc-malformed": streams(journal.Protocol, "{not json", event("\x1b]0;PWNED\x07\x1b[2J{not json</script><script>document.title=\"XSS\"</script>")),
	"esc-status":    saysAndCloses(journal.Protocol, "", "HTXP\x1b[31m\x1b]0;P\x07\r\n\r\n"),
}
