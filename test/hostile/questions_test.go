package hostile

import (
	"fmt"
	"strings"
	"time"
)

// question is a hostile answer to what is asked beside the load.
type question struct {
	path   string
	answer func(*client)
	args   []string // what makes the program ask
	code   int      // its exit code
	words  string   // on standard error
}

// named lets the server tokenize nothing, so that only one thing goes wrong.
var (
	unnamed  = []string{"--skip-tokenizer-init"}
	named    = []string{"--skip-tokenizer-init", "--model", "m"}
	tokenize = []string{"--model", "m"}
)

const evil = `../../../../escaped/PWN` + "\x1b[31m" + `|</script><script>document.title="XSS"</script><img src=x onerror="document.title='XSS'">=cmd()`

// questions by name.
var questions = map[string]question{
	"models-endless":  {"/v1/models", floodPage(`{"data":[`, `{"id":"m"},`), unnamed, 1, "longer than 4 MiB"},
	"models-deep":     {"/v1/models", answers(page(strings.Repeat("[", 1_000_000))), unnamed, 1, "/v1/models"},
	"models-gzipbomb": {"/v1/models", compressed("gzip", gzipped(strings.Repeat("\x00", 64<<20))).answer, unnamed, 1, "/v1/models"},
	"models-hang":     {"/v1/models", (*client).hang, unnamed, 1, "/v1/models"},
	"models-redir":    {"/v1/models", answers("HTTP/1.1 302 Found\r\nLocation: /leak/v1/models\r\nContent-Length: 0\r\n\r\n"), unnamed, 1, "redirect"},
	"models-loop":     {"/v1/models", answers("HTTP/1.1 302 Found\r\nLocation: /models-loop/v1/models\r\nContent-Length: 0\r\n\r\n"), unnamed, 1, "redirect"},
	"models-evil":     {"/v1/models", answers(page(`{"data":[{"id":` + quoted(evil) + `,"owned_by":"vllm"}]}`)), unnamed, 0, ""},
	"models-slash":    {"/v1/models", answers(page(`{"data":[{"id":"../../../../../../../../escaped/model","owned_by":"vllm"}]}`)), unnamed, 0, ""},
	"models-401":      {"/v1/models", answers(fmt.Sprintf("HTTP/1.1 401 X\r\nContent-Length: %d\r\n\r\n%s", len(secret), secret)), unnamed, 1, "HTTP 401"},
	"models-1e6":      {"/v1/models", answers(page(manyModels(1_000_000))), unnamed, 1, "longer than 4 MiB"},

	"metrics-endless": {"/metrics", floodPage("", "a_total{x=\"y\"} 1\n"), named, 0, ""},
	"metrics-hang":    {"/metrics", (*client).hang, named, 0, ""},
	"metrics-slow":    {"/metrics", slowly("a_total 1\n"), named, 0, ""},
	"metrics-evil":    {"/metrics", answers(page(evilMetrics)), named, 0, ""},

	"tok-endless": {"/tokenize", floodPage(`{"tokens":[`, "1,"), tokenize, 0, "none from the server"},
	"tok-slow":    {"/tokenize", slowly(`{"tokens":[1]} `), tokenize, 0, "none from the server"},
}

var evilMetrics = strings.Join([]string{
	"vllm:num_requests_running NaN", "vllm:spec_decode_num_drafts_total +Inf", "vllm:spec_decode_num_draft_tokens_total -Inf",
	"vllm:spec_decode_num_accepted_tokens_total NaN", `vllm:spec_decode_num_accepted_tokens_per_pos_total{position="1000"} 1e300`,
	"vllm:prefix_cache_queries_total 1e308", "vllm:prefix_cache_hits_total 1e309", `x{a="`, `y{a="\`, strings.Repeat("a", 100_000) + " 1",
}, "\n")

func answers(text string) func(*client) { return func(c *client) { c.send(text) } }

// floodPage is a page without an end.
func floodPage(begin, piece string) func(*client) {
	return func(c *client) {
		c.send("HTTP/1.1 200 OK\r\n\r\n", begin)
		c.flood(piece)
	}
}

// slowly sends a piece of a page each second.
func slowly(piece string) func(*client) {
	return func(c *client) {
		c.send("HTTP/1.1 200 OK\r\n\r\n")
		for !c.last {
			c.send(piece)
			select {
			case <-time.After(time.Second):
			case <-c.quit:
				c.last = true
			}
		}
	}
}

func manyModels(n int) string {
	var b strings.Builder
	b.WriteString(`{"data":[`)
	for i := range n {
		fmt.Fprintf(&b, `{"id":"m%d"},`, i)
	}
	return b.String() + `{"id":"m"}]}`
}
