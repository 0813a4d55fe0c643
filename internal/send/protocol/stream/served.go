package stream

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// Served is what an answer says of the servers behind the address that it came from.
type Served struct {
	Replica   string // the one that answered; empty: not said
	Prefiller string // the one that computed the prompt, where that is another
	Retries   int    // how often a gateway had to send the request again
	// Believed are the tokens of the prompt that the router believed to be in the replica's cache, and HitRate their share, where
	// it tells only that.
	Believed                    int
	HitRate                     float64
	BelievedKnown, HitRateKnown bool
	// What the router measured itself, in nanoseconds; 0: not said. Transfer is from the prefill's end to the first decoded
	// token: the transfer at most.
	Queue, TTFT, Transfer int64
}

// Signs are where an answer may say who served it; the zero value: in headers that are known.
type Signs struct {
	None   bool     // it is not looked for
	Header string   // the only header that counts
	Path   []string // the only value of JSON that counts: names of fields, and places in lists
	Nvext  bool     // the server is Dynamo, and was asked to tell
}

// SignsHelp is how signs are written.
const SignsHelp = "auto, header:NAME, json:PATH or none"

// maxPath bounds the depth of a value in JSON.
const maxPath = 20

// ParseSigns reads what a user says of them.
func ParseSigns(text string) (s Signs, err error) {
	kind, name, has := strings.Cut(text, ":")
	switch {
	case text == "auto" || text == "":
		return Signs{}, nil
	case text == "none":
		return Signs{None: true}, nil
	case kind == "header" && has:
		if err := wire.CheckHeader(name, ""); err != nil {
			return Signs{}, fmt.Errorf("names a header that %w", err)
		}
		return Signs{Header: name}, nil
	case kind == "json" && has:
		s.Path = strings.Split(strings.NewReplacer("[", ".", "]", "").Replace(name), ".")
		for _, p := range s.Path {
			if p == "" || len(s.Path) > maxPath {
				return Signs{}, fmt.Errorf("needs names of fields with dots between them, as in json:nvext.worker_id, not %.100q", text)
			}
		}
		return s, nil
	}
	return Signs{}, fmt.Errorf("must be %s, not %.100q", SignsHelp, text)
}

// events says that it is looked for in each event.
func (s *Signs) events() bool { return !s.None && (s.Nvext || len(s.Path) > 0) }

// knownHeaders are those by which routers tell the replica, the best first.
var knownHeaders = []struct {
	name string // as http.Header has it
	read func(string) string
}{
	{"X-Smg-Routed-Worker-Id", nil},   // smg: its URL
	{"X-Litellm-Model-Api-Base", nil}, // LiteLLM: its URL; and where that is hidden
	{"X-Litellm-Model-Id", nil},       // a name that LiteLLM made
	{"X-Inference-Pod", nil},          // llm-d's simulator
	{"X-Inferometer-Replica", nil},    // ours
	{"X-Session-Token", podOfSession}, // llm-d's session affinity; Dynamo's nvext comes before it
}

// head looks for the signs among the headers of an answer.
func (s *Signs) head(served *Served, h wire.Header) {
	if s.None {
		return
	}
	served.Retries = count(h, "X-Litellm-Attempted-Retries") + count(h, "X-Litellm-Attempted-Fallbacks")
	if believed := h.Get("X-Inferometer-Believed-Tokens"); believed != "" {
		if n, err := strconv.Atoi(believed); err == nil && n >= 0 && n <= MaxTokenCount {
			served.Believed, served.BelievedKnown = n, true
		}
	}
	served.Prefiller = replicaName(h.Get("X-Inferometer-Prefiller"))
	switch {
	case s.Header != "":
		served.Replica = replicaName(h.Get(s.Header))
	case s.Path == nil:
		for _, known := range knownHeaders {
			value := h.Get(known.name)
			if value != "" && known.read != nil {
				value = known.read(value)
			}
			if served.Replica = replicaName(value); served.Replica != "" {
				return
			}
		}
	}
}

// Named is the replica that headers name; empty: none.
func (s *Signs) Named(h wire.Header) string {
	var served Served
	s.head(&served, h)
	return served.Replica
}

// maxRetries is more than any gateway does for one request.
const maxRetries = 10_000

// count is a header that holds a number; 0 where it holds none.
func count(h wire.Header, name string) int {
	value := h.Get(name)
	if value == "" {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > maxRetries {
		return 0
	}
	return n
}

// replicaName is what may be kept of a name from outside: a word, and of an address no login and no query.
func replicaName(value string) string {
	if value == "" {
		return ""
	}
	value = outside.Word(value[:min(len(value), 4*maxWord)])
	if strings.Contains(value, "://") {
		switch u, err := url.Parse(value); {
		case err != nil:
			value = outside.RedactURL(value)
		case u.User != nil || u.RawQuery != "" || u.Fragment != "": // else it stays as the router writes it
			u.User, u.RawQuery, u.Fragment = nil, "", ""
			value = u.String()
		}
	}
	if len(value) > maxWord {
		value = strings.ToValidUTF8(value[:maxWord], "")
	}
	return value
}

// podOfSession is the pod that llm-d's token of a session names: base64 of namespace/pod. Others use that header for secrets,
// and those are left alone.
func podOfSession(token string) string {
	if len(token) > maxWord {
		return ""
	}
	text, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		if text, err = base64.RawURLEncoding.DecodeString(token); err != nil {
			return ""
		}
	}
	namespace, pod, ok := strings.Cut(string(text), "/")
	if !ok || !isPodName(namespace) || !isPodName(pod) {
		return ""
	}
	return string(text)
}

// isPodName: what Kubernetes takes for the name of a namespace or a pod.
func isPodName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case (c == '-' || c == '.') && i > 0 && i < len(name)-1:
		default:
			return false
		}
	}
	return name != ""
}

// read looks for the signs in an event, or in an answer that is no stream. A later event wins.
func (s *Signs) read(served *Served, scan *jsonscan.Scanner, t *Timings, data []byte) {
	scan.Reset(data)
	if len(s.Path) > 0 {
		if value := valueAt(scan, s.Path); len(value) > 0 {
			served.Replica = replicaName(string(value))
		}
		scan.Reset(data)
	}
	if s.Nvext && bytes.Contains(data, nvextKey) {
		s.readNvext(served, scan, t)
	}
}

var nvextKey = []byte(`"nvext"`)

// valueAt is a text or a number in JSON; nil: there is none at that place.
func valueAt(s *jsonscan.Scanner, path []string) []byte {
	if len(path) == 0 {
		return scalar(s)
	}
	switch s.Next() {
	case '{':
		for open := s.Open('{'); open; open = s.More('}') {
			if string(s.Unescape(s.Name())) == path[0] {
				return valueAt(s, path[1:])
			}
			s.Skip()
		}
	case '[':
		at, err := strconv.Atoi(path[0])
		for i, open := 0, err == nil && s.Open('['); open; i, open = i+1, s.More(']') {
			if i == at {
				return valueAt(s, path[1:])
			}
			s.Skip()
		}
	}
	return nil
}

// scalar is a text, or a number as it is written; nil for all else.
func scalar(s *jsonscan.Scanner) []byte {
	switch c := s.Next(); {
	case c == '"':
		return s.Text()
	case c == '-' || c >= '0' && c <= '9':
		return s.Value()
	}
	s.Skip()
	return nil
}

// readNvext reads what Dynamo says of a request. It is in the answer's own clock, and some of it an estimate.
func (s *Signs) readNvext(served *Served, scan *jsonscan.Scanner, t *Timings) {
	scan.Fields(func(name []byte) {
		if string(name) != "nvext" || scan.Next() != '{' {
			scan.Skip()
			return
		}
		scan.Fields(func(name []byte) {
			switch {
			case scan.Next() != '{':
				scan.Skip()
			case string(name) == "worker_id":
				s.readWorkers(served, scan)
			case string(name) == "timing":
				readTiming(served, scan, t)
			default:
				scan.Skip()
			}
		})
	})
}

func (s *Signs) readWorkers(served *Served, scan *jsonscan.Scanner) {
	decode, prefill := "", ""
	scan.Fields(func(name []byte) {
		switch string(name) {
		case "decode_worker_id":
			decode = replicaName(string(scalar(scan)))
		case "prefill_worker_id":
			prefill = replicaName(string(scalar(scan)))
		default:
			scan.Skip()
		}
	})
	if decode != "" && s.Header == "" && len(s.Path) == 0 {
		served.Replica = decode
	}
	if prefill != "" && prefill != decode {
		served.Prefiller = prefill
	}
}

// readTiming reads Dynamo's times of a request, in milliseconds.
func readTiming(served *Served, scan *jsonscan.Scanner, t *Timings) {
	take := func(to *int64) {
		if ms, err := strconv.ParseFloat(string(scalar(scan)), 64); err == nil && ms > 0 && ms < maxMilliseconds {
			*to = int64(math.Round(ms * 1e6))
		}
	}
	scan.Fields(func(name []byte) {
		switch string(name) {
		case "prefill_wait_time_ms":
			take(&served.Queue)
		case "prefill_time_ms":
			take(&t.PromptNs)
		case "ttft_ms":
			take(&served.TTFT)
		case "kv_transfer_estimated_latency_ms":
			take(&served.Transfer)
		case "kv_hit_rate":
			if share, err := strconv.ParseFloat(string(scalar(scan)), 64); err == nil && share >= 0 && share <= 1 {
				served.HitRate, served.HitRateKnown = share, true
			}
		default:
			scan.Skip()
		}
	})
}

// maxMilliseconds is a week: no request is worked on for longer.
const maxMilliseconds = 7 * 24 * 3600 * 1e3

// BelievedTokens of a prompt of so many tokens were in the replica's cache by what its router believed; false: it did not say.
func (s *Served) BelievedTokens(prompt int) (n int, known bool) {
	switch {
	case s.BelievedKnown:
		return s.Believed, true
	case s.HitRateKnown && prompt > 0:
		return int(math.Round(s.HitRate * float64(prompt))), true
	}
	return 0, false
}
