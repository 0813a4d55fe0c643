package treefile

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// otelValue is a value of a file: a list of spans, a span, or what OTLP sends.
type otelValue struct {
	TraceID  string      `json:"trace_id"`
	Spans    []*otelSpan `json:"spans"`
	Resource []struct {
		Scope []struct {
			Spans []*otelSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
	otelSpan
}

// all are its spans.
func (v *otelValue) all() []*otelSpan {
	list := v.Spans
	for _, r := range v.Resource {
		for _, s := range r.Scope {
			list = append(list, s.Spans...)
		}
	}
	if v.Spans == nil && v.Resource == nil {
		v.otelSpan.Trace = v.TraceID
		list = append(list, &v.otelSpan)
	}
	known := list[:0]
	for _, s := range list {
		if s != nil {
			known = append(known, s)
		}
	}
	return known
}

// otelSpan is a span, by the names of its exporters in Python or by those of OTLP.
type otelSpan struct {
	Trace      string         `json:"trace_id"`
	ID         string         `json:"span_id"`
	Parent     string         `json:"parent_span_id"`
	Name       string         `json:"name"`
	Start      string         `json:"start_time"`
	End        string         `json:"end_time"`
	TraceOTLP  string         `json:"traceId"`
	IDOTLP     string         `json:"spanId"`
	ParentOTLP string         `json:"parentSpanId"`
	StartOTLP  nanoseconds    `json:"startTimeUnixNano"`
	EndOTLP    nanoseconds    `json:"endTimeUnixNano"`
	Attributes otelAttributes `json:"attributes"`
	Status     otelStatus     `json:"status"`
}

func (s *otelSpan) trace() string  { return s.Trace + s.TraceOTLP }
func (s *otelSpan) id() string     { return s.ID + s.IDOTLP }
func (s *otelSpan) parent() string { return s.Parent + s.ParentOTLP }

func (s *otelSpan) name() string {
	if s.id() != "" {
		return s.id()
	}
	return s.Name
}

func (s *otelSpan) times() (from, to time.Time, err error) {
	if s.StartOTLP > 0 {
		return time.Unix(0, int64(s.StartOTLP)), time.Unix(0, int64(max(s.EndOTLP, s.StartOTLP))), nil
	}
	if from, err = date(s.Start); err != nil {
		return from, to, err
	}
	if to, err = date(s.End); err != nil {
		return from, to, err
	}
	if from.IsZero() || to.IsZero() {
		return from, to, errors.New("a span needs start_time and end_time")
	}
	if to.Before(from) {
		to = from
	}
	return from, to, nil
}

// isRequest says that a span is a request with an answer, of which the messages are known.
func (s *otelSpan) isRequest() bool {
	if s.Status.failed || isNull(s.Attributes["gen_ai.input.messages"]) {
		return false
	}
	switch s.text("gen_ai.operation.name") {
	case "chat", "generate", "generate_content", "text_completion":
		return true
	case "":
		return s.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens") > 0
	}
	return false
}

// text is an attribute that is one; empty where it isn't.
func (s *otelSpan) text(name string) (text string) {
	_ = json.Unmarshal(s.Attributes[name], &text)
	return text
}

// count is the first of some attributes that is a whole number; 0: not known.
func (s *otelSpan) count(names ...string) int {
	for _, name := range names {
		var n int
		if raw := s.Attributes[name]; !isNull(raw) && json.Unmarshal(unquote(raw), &n) == nil {
			return n
		}
	}
	return 0
}

// otelStatus is 2, STATUS_CODE_ERROR or ERROR where a span failed.
type otelStatus struct{ failed bool }

func (s *otelStatus) UnmarshalJSON(raw []byte) error {
	var v struct {
		Code json.RawMessage `json:"code"`
	}
	if json.Unmarshal(raw, &v) != nil {
		v.Code = raw // of some exporters the code alone
	}
	switch string(v.Code) {
	case `2`, `"2"`, `"STATUS_CODE_ERROR"`, `"ERROR"`:
		s.failed = true
	}
	return nil
}

// nanoseconds since 1970, which OTLP writes as text.
type nanoseconds int64

func (n *nanoseconds) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseInt(string(unquote(raw)), 10, 64)
	if err != nil || v < 0 {
		return errors.New("a time of OTLP must be a whole number of nanoseconds")
	}
	*n = nanoseconds(v)
	return nil
}

// otelAttributes are those of an object, or of OTLP's list of keys and values.
type otelAttributes map[string]json.RawMessage

func (a *otelAttributes) UnmarshalJSON(raw []byte) error {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil {
		*a = object
		return nil
	}
	var list []otlpPair
	if err := json.Unmarshal(raw, &list); err != nil {
		return errors.New("attributes must be an object, or a list of keys and values")
	}
	*a = otelAttributes{}
	for _, p := range list {
		(*a)[p.Key] = p.Value.plain()
	}
	return nil
}

type otlpPair struct {
	Key   string    `json:"key"`
	Value otlpValue `json:"value"`
}

// otlpValue says its type.
type otlpValue struct {
	String *string         `json:"stringValue"`
	Bool   *bool           `json:"boolValue"`
	Int    json.RawMessage `json:"intValue"`
	Double *float64        `json:"doubleValue"`
	Array  *struct {
		Values []otlpValue `json:"values"`
	} `json:"arrayValue"`
	Object *struct {
		Values []otlpPair `json:"values"`
	} `json:"kvlistValue"`
}

// plain is the value as JSON has it.
func (v *otlpValue) plain() json.RawMessage {
	switch {
	case v.String != nil:
		return encode(v.String)
	case v.Bool != nil:
		return encode(v.Bool)
	case !isNull(v.Int):
		return unquote(v.Int)
	case v.Double != nil:
		return encode(v.Double)
	case v.Array != nil:
		list := make([]json.RawMessage, len(v.Array.Values))
		for i := range v.Array.Values {
			list[i] = v.Array.Values[i].plain()
		}
		return encode(list)
	case v.Object != nil:
		object := map[string]json.RawMessage{}
		for _, p := range v.Object.Values {
			object[p.Key] = p.Value.plain()
		}
		return encode(object)
	}
	return json.RawMessage("null")
}

func isNumber(raw json.RawMessage) bool {
	var n float64
	return !isNull(raw) && json.Unmarshal(raw, &n) == nil
}

// hash is that of a text with a message behind it.
func hash(before string, m json.RawMessage) string {
	sum := sha256.Sum256(append([]byte(before), m...))
	return string(sum[:])
}
