package hostile

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// events are about what stands in a stream that is framed well.
var events = map[string]mode{
	"good":         streams(journal.Complete, "", goodBody),
	"deep-skip":    streams(journal.Protocol, "nested deeper than 200", event(`{"zzz":`+strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000)+`}`), goodBody),
	"deep-choices": streams(journal.Protocol, "nested deeper than 200", event(`{"choices":`+strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000)+`}`), goodBody),
	"deep-error":   streams(journal.Protocol, "nested deeper than 200", event(`{"error":`+strings.Repeat(`{"a":`, 1_000_000)+"1"+strings.Repeat("}", 1_000_000)+`}`)),
	"deep-top":     streams(journal.Protocol, "not JSON", event(strings.Repeat("[", 1_000_000))),

	"bad-utf8":       streams(journal.Complete, "", event("{\"choices\":[{\"delta\":{\"content\":\"\xff\xfe\xc0\x80\"}}]}"), goodBody),
	"nul":            streams(journal.Complete, "", event("{\"choices\":[{\"delta\":{\"content\":\"\x00\x00\"}}]}"), goodBody),
	"lone-surrogate": streams(journal.Complete, "", event(`{"choices":[{"delta":{"content":"\ud800\ud800\udc00"}}]}`), goodBody),

	"after-done":      streams(journal.Protocol, "an event came after [DONE]", goodBody, strings.Repeat(token("late"), 5)),
	"done-twice":      streams(journal.Complete, "", goodBody, done),
	"after-done-hang": saysAndWaits("[DONE] came, but the server did not end the response", head, chunk(goodBody)),

	"zero-tok":  streams(journal.Empty, "without a token", event(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`), done),
	"role-only": streams(journal.Empty, "without a token", event(`{"choices":[{"delta":{"role":"assistant"}}]}`), event(`{"choices":[{"delta":{},"finish_reason":"stop"}]}`), done),

	"html200": says(journal.Protocol, "the answer is an HTML page", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 43\r\n\r\n", "<html><script>alert(1)</script>Login</html>"),
	"json200": says(journal.Protocol, "not a stream of events", page(`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],"usage":{"completion_tokens":1}}`)),
}

// counts are about numbers in usage and timings.
var counts = map[string]mode{
	"use-1e308": using(journal.Protocol, "more than any model has", "1e308"),
	"use-neg":   using(journal.Protocol, "not a number of tokens", "-5"),
	"use-2p63":  using(journal.Protocol, "more than any model has", "9223372036854775808"),
	"use-2p62":  using(journal.Protocol, "more than any model has", "4611686018427387904"),
	"use-18dig": using(journal.Protocol, "more than any model has", "999999999999999999"),
	"use-nan":   using(journal.Protocol, "not JSON", "NaN"),
	"use-str":   using(journal.Protocol, `completion_tokens is the string "2"`, `"2"`),
	"use-float": using(journal.Complete, "", "2.0"),
	"use-half":  using(journal.Protocol, "not a number of tokens", "2.5"),
	"use-dup": streams(journal.Long, "99 tokens, 2 were asked for", token("hi"), finish("yo", "stop"), usage, usage,
		event(`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":99}}`), done),
	"use-dup-key": streams(journal.Complete, "", token("hi"), finish("yo", "stop"),
		event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"completion_tokens":7}}`), done),
	"cont-usage-huge": streams(journal.Long, "1000000 tokens, 2 were asked for", counted("hi", 1_000_000), counted("hi", 1), counted("yo", 2), done),
	"cont-usage-decreasing": streams(journal.Protocol, "fewer tokens than the one before: 1 after 3",
		counted("hi", 3), counted("hi", 1), counted("yo", 2), done),
	"timings-huge": streams(journal.Complete, "", token("hi"), finish("yo", "stop", `,"timings":{"prompt_ms":1e308,"predicted_ms":-1}`), usage, done),
	"timings-big":  streams(journal.Complete, "", token("hi"), finish("yo", "stop", `,"timings":{"prompt_ms":9e12,"predicted_ms":9e12}`), usage, done),
}

// using is a stream whose usage says so.
func using(want journal.Outcome, words, output string) mode {
	return streams(want, words, token("hi"), finish("yo", "stop"), event(`{"choices":[],"usage":{"prompt_tokens":5.0,"completion_tokens":`+output+`}}`), done)
}

func counted(text string, total int) string {
	return event(fmt.Sprintf(`{"choices":[{"delta":{"content":%s}}],"usage":{"prompt_tokens":5,"completion_tokens":%d}}`, quoted(text), total))
}
