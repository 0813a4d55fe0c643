package vllm

import (
	"bytes"
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// ownHeaders may differ: they name the client, or what it can take.
var ownHeaders = []string{"User-Agent", "Accept", "Accept-Encoding"}

// Both clients send the same requests: path, headers, and each field of the body,
// in the same order.
func TestBodies(t *testing.T) {
	v := installed(t)
	program := realserver.Build(t)
	tests := []struct {
		name  string
		flags []string
	}{
		{"completions", []string{"--backend", "vllm"}},
		{"chat", []string{
			"--backend", "openai-chat", "--endpoint", "/v1/chat/completions", "--temperature", "0.5", "--top-p", "0.9",
			"--extra-body", `{"min_tokens": 3, "stop": ["é"], "temperature": 1e-05}`, "--ignore-eos",
		}},
		{"sampling", []string{
			"--backend", "openai", "--logprobs", "2", "--request-id-prefix", "mine-", "--served-model-name", "other",
			"--header", "X-One=1", "x-two=a=b", "--top-k", "7", "--min-p", "0.1", "--frequency-penalty", "1",
			"--presence-penalty", "0.25", "--repetition-penalty", "1.1", "--temperature", "0",
		}},
		{"prefix_repetition", []string{
			"--backend", "vllm", "--dataset-name", "prefix_repetition", "--prefix-repetition-prefix-len", "16", "--prefix-repetition-suffix-len", "16",
			"--prefix-repetition-num-prefixes", "2", "--prefix-repetition-output-len", "2",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { sameRequests(t, v, program, 4, tt.flags...) })
	}
}

// sameRequests runs both clients with the same flags; each must send n requests.
func sameRequests(t *testing.T, v install, program string, n int, own ...string) {
	t.Helper()
	r := newRecorder(t)
	flags := append([]string{
		"--base-url", r.URL, "--model", "tiny", "--tokenizer", v.model, "--random-input-len", "24", "--random-output-len", "2",
		"--num-prompts", "4", "--max-concurrency", "1", "--seed", "3", "--request-id-prefix", "p-",
	}, own...)
	env := append([]string{"OPENAI_API_KEY=sk-test", "PYTHONPATH=" + stubs(t)}, v.env...)
	realserver.StartBench(t, env, v.command, flags...).Wait(t, 0, 10*time.Minute) // half a minute is usual, minutes on a busy machine
	theirs, theirOthers := r.take()
	realserver.StartBench(t, env, program, flags...).Wait(t, 0, time.Minute)
	ours, ourOthers := r.take()
	t.Logf("beside them vLLM's client asks %v, ours %v", theirOthers, ourOthers)
	if len(theirs) != n || len(ours) != n {
		t.Fatalf("vLLM's client sent %d requests, ours %d, want %d", len(theirs), len(ours), n)
	}
	t.Logf("vLLM's: %v %s\nours:   %v %s", theirs[0].header, clip(theirs[0].body), ours[0].header, clip(ours[0].body))
	for i := range theirs {
		compareSent(t, i, theirs[i], ours[i])
	}
}

func compareSent(t *testing.T, i int, theirs, ours sent) {
	t.Helper()
	if theirs.method != ours.method || theirs.path != ours.path {
		t.Errorf("request %d: %s %s, ours %s %s", i, theirs.method, theirs.path, ours.method, ours.path)
	}
	if strings.HasPrefix(theirs.header.Get("Content-Type"), "multipart/form-data") {
		compareForms(t, i, theirs, ours)
		return
	}
	theirKeys, theirFields := realserver.Object(t, theirs.body)
	ourKeys, ourFields := realserver.Object(t, ours.body)
	if !slices.Equal(theirKeys, ourKeys) {
		t.Fatalf("request %d: fields %v, ours %v", i, theirKeys, ourKeys)
	}
	for _, k := range theirKeys {
		if !reflect.DeepEqual(value(t, theirFields[k]), value(t, ourFields[k])) {
			t.Errorf("request %d: %s is %s, ours %s", i, k, theirFields[k], ourFields[k])
		}
	}
	compareHeaders(t, i, theirs.header, ours.header)
}

// compareForms: each byte is the same, but for the words between the parts.
func compareForms(t *testing.T, i int, theirs, ours sent) {
	t.Helper()
	neutral := func(s sent) []byte {
		_, parameters, err := mime.ParseMediaType(s.header.Get("Content-Type"))
		if err != nil || parameters["boundary"] == "" {
			t.Fatalf("request %d: Content-Type %q", i, s.header.Get("Content-Type"))
		}
		s.header.Set("Content-Type", "multipart/form-data")
		return bytes.ReplaceAll(s.body, []byte(parameters["boundary"]), []byte("BOUNDARY"))
	}
	if a, b := neutral(theirs), neutral(ours); !bytes.Equal(a, b) {
		t.Errorf("request %d is\n%q, ours\n%q", i, a, b)
	}
	compareHeaders(t, i, theirs.header, ours.header)
}

func compareHeaders(t *testing.T, i int, theirs, ours http.Header) {
	t.Helper()
	names := maps.Clone(theirs)
	maps.Copy(names, ours)
	for name := range names {
		switch {
		case slices.Contains(ownHeaders, name):
		case name == "Content-Length": // Python writes a space behind each comma and colon, and escapes what is not ASCII
		case !slices.Equal(theirs[name], ours[name]):
			t.Errorf("request %d: header %s is %q, ours %q", i, name, theirs[name], ours[name])
		}
	}
}

// value is a field with its numbers as they are written: 1 is not 1.0.
func value(t *testing.T, field json.RawMessage) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(field))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func clip(body []byte) string {
	s := strings.TrimSpace(string(body))
	s = s[:min(len(s), 600)]
	if !strings.HasPrefix(s, "{") { // a form, with a file
		return strconv.QuoteToGraphic(s)
	}
	return s
}
