package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// readAll reads a text as a file of a format, or of the one that it looks like.
func readAll(t testing.TB, text, format string) (*Format, []Row, error) {
	tr, err := openText(t, text, format)
	if err != nil {
		return nil, nil, err
	}
	from := tr.Rows()
	defer from.Close()
	var all []Row
	for {
		var r Row
		if err := from.Next(&r); errors.Is(err, io.EOF) {
			return tr.Format, all, nil
		} else if err != nil {
			return tr.Format, all, err
		}
		r.IDs = slices.Clone(r.IDs)
		all = append(all, r)
	}
}

// openText opens a text as a file.
func openText(t testing.TB, text, format string) (*Trace, error) {
	path := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Open(format, path)
}

const (
	mooncakeText = `{"timestamp": 27482, "input_length": 1025, "output_length": 52, "hash_ids": [46, 47, 2366]}` + "\n"
	recordedText = `{"inferometer":1,"timestamp":1.5,"input_length":20,"output_length":9,"block_size":16,"hash_ids":[1,2],"session":"a","model":"m","sampling":{"temperature":0.5,"max_tokens":9,"top_k":"x"},"outcome":"complete"}
{"inferometer":1,"timestamp":2,"status":500,"outcome":"http_5xx"}
{"inferometer":1,"timestamp":3,"output_length":4,"output_by":"events","session":"a","outcome":"complete"}
`
	bailianText = `{"chat_id": 7, "parent_chat_id": -1, "timestamp": 61.25, "input_length": 20, "output_length": 9, "type": "text", "turn": 1, "hash_ids": [1, 2]}
{"chat_id": 9, "parent_chat_id": 7, "timestamp": 70, "input_length": 48, "output_length": 3, "type": "text", "turn": 2, "hash_ids": [1, 3, 4]}
{"chat_id": 10, "parent_chat_id": -1, "timestamp": 71, "input_length": 1, "output_length": 3, "type": "text", "turn": 1, "hash_ids": [5]}
`
	wekaText = `{"id": "a", "models": ["m"], "block_size": 64, "hash_id_scope": "global", "requests": [
 {"t": 0.5, "type": "n", "in": 130, "out": 4, "hash_ids": [1, 2]},
 {"t": 10, "type": "subagent", "requests": [{"t": 2, "type": "s", "in": 65, "out": 8, "hash_ids": [9]}]},
 {"t": 20, "type": "s", "in": 200, "out": 5, "hash_ids": [1, 2, 3], "think_time": 3}], "totals": {"x": [1, {"y": 2}]}}`
	agenticText = `{"metadata": {"n": 2}, "conversations": [[{"messages": [{"role": "user"}], "prompt_tokens": 100}, {"messages": []},
 {"messages": [{"role": "tool"}], "prompt_tokens": 180}], [], [{"messages": [{"role": "user"}], "prompt_tokens": 7}]]}`
)

func TestFormats(t *testing.T) {
	conversation := sessionOf("7")
	file := mix(1, 0)
	for _, c := range []struct {
		name, text string
		want       []Row
	}{
		{"mooncake", mooncakeText, []Row{{Number: 1, At: 27482 * time.Millisecond, Input: 1025, Output: 52, IDs: []uint64{46, 47, 2366}, Block: 512}}},
		{"inferometer", recordedText, []Row{
			{Number: 1, At: 1500 * time.Microsecond, Input: 20, Output: 9, IDs: []uint64{1, 2}, Block: 16, Session: sessionOf("a"), Turn: 1, Model: "m", Sampling: []Parameter{{"temperature", []byte("0.5")}}},
			{Number: 2, At: 2 * time.Millisecond, NoInput: true, NoOutput: true, Failed: true},
			{Number: 3, At: 3 * time.Millisecond, Output: 4, NoInput: true, Estimated: true, Session: sessionOf("a"), Turn: 2},
		}},
		{"bailian", bailianText, []Row{
			{Number: 1, At: 61250 * time.Millisecond, Input: 20, Output: 9, IDs: []uint64{1, 2}, Block: 16, Session: conversation, Turn: 1},
			{Number: 2, At: 70 * time.Second, Input: 48, Output: 3, IDs: []uint64{1, 3, 4}, Block: 16, Session: conversation, Turn: 2},
			{Number: 3, At: 71 * time.Second, Input: 1, Output: 3, IDs: []uint64{5}, Block: 16, Session: sessionOf("10"), Turn: 1},
		}},
		{"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8", []Row{
			{Number: 1, Input: 4808, Output: 10}, {Number: 2, At: 52 * time.Millisecond, Input: 3180, Output: 8},
		}},
		{"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n2024-05-10 00:00:00.017335+00:00,2399,6\n", []Row{
			{Number: 1, Input: 2162, Output: 5}, {Number: 2, At: 7405 * time.Microsecond, Input: 2399, Output: 6},
		}},
		{"azure", "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n2024-10-15T12:00:00.269Z,0,770,491\n2024-10-15T12:00:05.819Z,1,949,126\n", []Row{
			{Number: 1, Input: 770, Output: 491}, {Number: 2, At: 5550 * time.Millisecond, Images: 1, Input: 949, Output: 126},
		}},
		{"burstgpt", "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,ChatGPT,472,18,490,Conversation log\n45,GPT-4,10,0,10,API log\n", []Row{
			{Number: 1, At: 5 * time.Second, Input: 472, Output: 18, Model: "ChatGPT"}, {Number: 2, At: 45 * time.Second, Input: 10, Failed: true, Model: "GPT-4"},
		}},
		{"burstgpt", "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n5.0,7,43,GPT-4,906,446,1352,Conversation log\n6.5,,2,ChatGPT,36,29,65,API log\n7,7,1,GPT-4,1400,3,9,x\n", []Row{
			{Number: 1, At: 5 * time.Second, Input: 906, Output: 446, Session: conversation, Turn: 1, Model: "GPT-4", Took: 43 * time.Second},
			{Number: 2, At: 6500 * time.Millisecond, Input: 36, Output: 29, Model: "ChatGPT", Took: 2 * time.Second},
			{Number: 3, At: 7 * time.Second, Input: 1400, Output: 3, Session: conversation, Turn: 2, Model: "GPT-4", Took: time.Second},
		}},
		{"vidur", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.052,3180,8\n", []Row{{Number: 1, At: 52 * time.Millisecond, Input: 3180, Output: 8}}},
		{"vidur", "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio\n3772,54,3826,69.8\n", []Row{{Number: 1, Input: 3772, Output: 54}}},
		{"weka", wekaText, []Row{
			{Number: 1, At: 500 * time.Millisecond, Input: 130, Output: 4, IDs: []uint64{1, 2}, Block: 64, Session: file, Turn: 1},
			{Number: 2, At: 12 * time.Second, Input: 65, Output: 8, IDs: []uint64{9}, Block: 64, Session: mix(1, 1), Turn: 1},
			{Number: 3, At: 20 * time.Second, Input: 200, Output: 5, IDs: []uint64{1, 2, 3}, Block: 64, Session: file, Turn: 2},
		}},
		{"agentic", agenticText, []Row{
			{Number: 1, Input: 100, Output: 220, Session: mix(1, 0), Turn: 1},
			{Number: 2, Input: 180, Output: 220, Session: mix(1, 0), Turn: 2},
			{Number: 3, Input: 7, Output: 220, Session: mix(2, 0), Turn: 1},
		}},
	} {
		f, got, err := readAll(t, c.text, "")
		if err != nil || f.Name != c.name {
			t.Errorf("%s: %v, taken for %v", c.name, err, f)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestErrorsNameTheRow(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"mooncake", mooncakeText + `{"timestamp": 1, "input_length": 1025, "output_length": 5, "hash_ids": [1, 2]}`, "row 2: 2 block ids for 1025 tokens, where blocks of 512 need 3"},
		{"mooncake", `{"timestamp": 1, "input_length": -4, "output_length": 5, "hash_ids": []}`, "row 1: an input of -4 tokens"},
		{"mooncake", `{"timestamp": 1e300, "input_length": 4, "output_length": 5}`, "row 1: a time of 1e+297 s"},
		{"mooncake", `{"timestamp": 1, "input_length": 4}`, "row 1: it needs input_length and output_length, or text_input, messages or payload"},
		{"mooncake", `{"timestamp": 1, "input_length": 4, "output_length": 99999999999}`, "row 1: an output of 99999999999 tokens"},
		{"mooncake", "{\"timestamp\": 1,\n", "row 1: unexpected end of JSON"},
		{"azure", "TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,4808,10\n", `row 1: TIMESTAMP must be a date such as 2023-11-16 18:17:03.97, not "yesterday"`},
		{"azure", "TIMESTAMP,ContextTokens\n", `no column "GeneratedTokens"`},
		{"burstgpt", "Timestamp,Model,Request tokens,Response tokens\n5,GPT-4,x,18\n", "row 1: Request tokens must be a whole number"},
		{"burstgpt", "Timestamp,Model,Request tokens,Response tokens\n5,GPT-4,1.5,18\n", "row 1: Request tokens must be a whole number"},
		{"weka", `{"block_size": 64, "requests": [{"t": 1, "in": 20`, "the JSON object of line 1 has no end: unexpected EOF"},
		{"weka", `{"requests": [{"t": 1, "in": 10, "out": 5}], "hash_id_scope": "world"}`, `hash_id_scope must be local or global, not "world"`},
		{"weka", `{"requests": [{"t": 1, "type": "subagent", "requests": [{"t": 1, "type": "subagent", "requests": []}]}]}`, "a sub-agent can't have sub-agents of its own"},
		{"weka", `{"requests": []}`, "it has no request"},
		{"dynamo", `{"event": {"event_type": "request_end", "schema": 1}}`, "row 1: the end of a request needs request_received_ms"},
		{"agentic", `{"conversations": [[{"messages": [{}]}]]}`, "row 1: a turn needs prompt_tokens"},
		{"", "hello\n", "it does not look like any known kind of trace"},
	} {
		_, _, err := readAll(t, c.text, c.name)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestALongRowEnds(t *testing.T) {
	_, _, err := readAll(t, `{"timestamp": 1, "input_length": 4, "x": "`+strings.Repeat("y", mostLine+4*headSize)+`"}`, "mooncake")
	if !errors.Is(err, errLong) {
		t.Error(err)
	}
	if _, _, err = readAll(t, `{"block_size": 64, "x": "`+strings.Repeat("y", mostLine+4*headSize)+`"}`, "weka"); !errors.Is(err, errLong) {
		t.Error(err)
	}
}

// The real files, with the numbers that their publishers and other readers found.
func TestPublishedTraces(t *testing.T) {
	for _, c := range []struct {
		file, format string
		rows, failed int
		sessions     int
		span         time.Duration
	}{
		{"mooncake_conversation_head3000.jsonl.gz", "mooncake", 3000, 0, 0, 987 * time.Second},
		{"mooncake_synthetic_trace.jsonl.gz", "mooncake", 3993, 0, 0, 1022025 * time.Millisecond},
		{"mooncake_arxiv_head1000.jsonl.gz", "mooncake", 1000, 0, 0, 177098 * time.Millisecond},
		{"AzureLLMInferenceTrace_code_2023.csv.gz", "azure", 8819, 0, 0, 3435948 * time.Millisecond},
		{"AzureLLMInferenceTrace_conv_2023.csv.gz", "azure", 19366, 0, 0, 3501722 * time.Millisecond},
		{"AzureLLMInferenceTrace_conv_2024_head5.csv", "azure", 5, 0, 0, 0},
		{"AzureLMMInferenceTrace_multimodal_2025_head5.csv", "azure", 5, 0, 0, 0},
		{"BurstGPT_1_head400.csv.gz", "burstgpt", 400, 17, 0, 37269 * time.Second},
		{"BurstGPT_3_head400.csv.gz", "burstgpt", 400, 1, 135, 41453 * time.Second},
		{"dynamo_pi_request_trace.jsonl.gz", "dynamo", 17, 0, 0, 0},
		{"vidur_splitwise_conv_head1000.csv.gz", "vidur", 1000, 0, 0, 0},
		{"vidur_arxiv_summarization_head200.csv", "vidur", 199, 0, 0, 0},
		{"weka", "weka", 14 + 12 + 7 + 22 - 2 + 12, 0, 6, 0},
	} {
		tr, err := Open("", testfiles.Path(t, "traces", c.file))
		if err != nil {
			t.Error(err)
			continue
		}
		var first, last time.Duration
		rows, failed, sessions := 0, 0, map[uint64]bool{}
		from := tr.Rows()
		for {
			var r Row
			if err = from.Next(&r); err != nil {
				break
			}
			if rows == 0 {
				first = r.At
			}
			last = r.At
			rows++
			if r.Failed {
				failed++
			}
			if r.Session != 0 {
				sessions[r.Session] = true
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", c.file, err)
		}
		if tr.Format.Name != c.format || rows != c.rows || failed != c.failed {
			t.Errorf("%s: %s, %d rows, %d failed; want %s, %d, %d", c.file, tr.Format.Name, rows, failed, c.format, c.rows, c.failed)
		}
		if c.sessions > 0 && len(sessions) != c.sessions {
			t.Errorf("%s: %d sessions, want %d", c.file, len(sessions), c.sessions)
		}
		if span := (last - first).Round(time.Millisecond); c.span > 0 && span != c.span {
			t.Errorf("%s: spans %v, want %v", c.file, span, c.span)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open("", filepath.Join(t.TempDir(), "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Open("", t.TempDir()); err == nil || !strings.Contains(err.Error(), "there is no file in") {
		t.Error(err)
	}
	if _, err := Open("csv", testfiles.Path(t, "traces", "BurstGPT_1_head400.csv.gz")); err == nil || !strings.Contains(err.Error(), `trace format "csv" is unknown`) {
		t.Error(err)
	}
}

// A folder may have a README beside its traces.
func TestAFolderIsItsData(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"README.md": "# A corpus", "traces.jsonl": wekaText, "z.txt": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := Open("", folder)
	if err != nil || len(tr.Files) != 1 || tr.Format != weka {
		t.Error(tr, err)
	}
	if err := os.Remove(filepath.Join(folder, "traces.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("", folder); err == nil || !strings.Contains(err.Error(), "README.md: it does not look like") {
		t.Error(err)
	}
}

// Whatever the bytes are: no panic, no row beyond the bounds, an end.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		mooncakeText, bailianText, wekaText, agenticText, "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10",
		"Timestamp,Model,Request tokens,Response tokens\n5,GPT-4,1,18\n", "arrived_at,num_prefill_tokens,num_decode_tokens\n0.052,3180,8\n",
		`{"timestamp":1,"event":{"schema":"dynamo.request.trace.v1","event_type":"request_end","agent_context":{"session_id":"a"},"request":{"input_tokens":15,"output_tokens":3,"request_received_ms":1779163048815,"replay":{"trace_block_size":16,"input_sequence_hashes":[1549729496416048079]}}}}`,
	} {
		f.Add([]byte(text), "")
	}
	for _, name := range FormatNames() {
		f.Add([]byte("{}"), name)
		f.Add([]byte{0xff, '\n', '"', ','}, name)
	}
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		_, rows, err := readAll(t, string(bytes.Clone(text)), format)
		for _, r := range rows {
			if e := errors.Join(r.check(), r.checkBlocks(true)); e != nil {
				t.Error(e)
			}
		}
		if err != nil {
			_ = fmt.Sprint(err)
		}
	})
}

// No file is taken for another format: those of package treefile, and those of others.
func TestDetect(t *testing.T) {
	want := map[string]string{
		"multi_turn.jsonl": "multi_turn", "dag_jsonl.jsonl": "dag_jsonl", "guidellm.jsonl": "guidellm", "mlperf.jsonl": "mlperf", "tracelab.jsonl": "tracelab",
		"otel.json": "otel", "otel_spans.jsonl": "otel", "otlp.jsonl": "otel", "tree.jsonl": "tree",
	}
	found, err := filepath.Glob("treefile/testdata/*.json*")
	if err != nil || len(found) != len(want) {
		t.Fatalf("%d files, want %d: %v", len(found), len(want), err)
	}
	for _, path := range found {
		tr, err := Open("", path)
		if err != nil || tr.Format.Name != want[filepath.Base(path)] {
			t.Errorf("%s is taken for %+v: %v", path, tr, err)
		}
	}
	for prefix, name := range map[string]string{"Azure": "azure", "Burst": "burstgpt", "dynamo": "dynamo", "mooncake": "mooncake", "vidur": "vidur", "weka": "weka"} {
		found, err := filepath.Glob(filepath.Join(testfiles.Path(t, "traces"), prefix+"*"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no file %s*: %v", prefix, err)
		}
		for _, path := range found {
			if tr, err := Open("", path); err != nil || tr.Format.Name != name {
				t.Errorf("%s is taken for %+v: %v", path, tr, err)
			}
		}
	}
}
