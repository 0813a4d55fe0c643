// Package yardstick is what the two yardsticks of client speed share: the
// request that they send, their flags, and the line that they print.
package yardstick

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
)

// Options are the flags of a yardstick.
type Options struct {
	Addr                      string
	Streams, Requests, Tokens int
	Prompt                    int
	Chat, TLS                 bool
}

// Parse reads the flags.
func Parse() Options {
	var o Options
	flag.StringVar(&o.Addr, "addr", "127.0.0.1:8000", "host and port of the server")
	flag.IntVar(&o.Streams, "streams", 200, "connections")
	flag.IntVar(&o.Requests, "requests", 1000, "requests in all")
	flag.IntVar(&o.Tokens, "tokens", 128, "tokens of an answer")
	flag.IntVar(&o.Prompt, "prompt", 1500, "bytes of a prompt")
	flag.BoolVar(&o.Chat, "chat", false, "chat completions instead of completions")
	flag.BoolVar(&o.TLS, "tls", false, "read through crypto/tls, any certificate; bare only")
	flag.Parse()
	return o
}

// Request is the whole HTTP request.
func (o Options) Request() []byte {
	prompt := strings.Repeat("word ", o.Prompt/5)
	path, content, limit := "/v1/completions", fmt.Sprintf(`"prompt":%q`, prompt), "max_tokens"
	if o.Chat {
		path, limit = "/v1/chat/completions", "max_completion_tokens"
		content = fmt.Sprintf(`"messages":[{"role":"user","content":%q}]`, prompt)
	}
	body := fmt.Sprintf(`{"model":"sim",%s,"%s":%d,"stream":true,"stream_options":{"include_usage":true},"ignore_eos":true}`, content, limit, o.Tokens)
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// ends is the last chunk of a chunked body.
var ends = []byte("0\r\n\r\n")

// Ended says whether a read closes an answer. The simulator writes the last
// chunk together with what comes before it, so its bytes are never split.
func Ended(read []byte) bool { return bytes.HasSuffix(read, ends) }

// Events counts the events in a read.
func Events(read []byte) int { return bytes.Count(read, []byte("data: ")) }

// Report prints what was read.
func Report(events, reads int64) { fmt.Printf("events=%d reads=%d\n", events, reads) }
