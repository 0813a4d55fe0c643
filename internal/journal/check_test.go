package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/inferometer/inferometer/internal/testfiles"
)

var encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true)) // no option can fail

// pack makes a journal of lines as they are.
func pack(lines ...string) []byte {
	return encoder.EncodeAll([]byte(strings.Join(lines, "\n")+"\n"), nil)
}

const firstLine = `{"run":{"schema":1}}`

// TestNoNumberIsTakenAsItIs: each number of each line, set to an extreme, makes the line
// one that is left out, also if it is read by encoding/json.
func TestNoNumberIsTakenAsItIs(t *testing.T) {
	end := End{SpecDecode: &SpecDecode{PerPosition: []int64{1}}, Power: &Power{}}
	free := map[string]bool{"GCCount": true, "UnixNs": true} // nothing is computed from these
	for _, line := range []Line{{Request: &examples[1]}, {Request: &examples[3]}, {Sample: &Sample{}}, {End: &end}, {Conversation: &Conversation{Number: 1, Turns: 3, Sent: 2, Skipped: 1, Complete: 1, Outcome: ConversationFailed, Begin: 1, End: 5, Think: 1}}} {
		b, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		for _, extreme := range []int64{math.MinInt64, math.MaxInt64, -1 << 62, 1 << 61} {
			n := 0
			eachNumber(&line, b, extreme, free, func(name string, crafted []byte) {
				n++
				for _, text := range []string{string(crafted), strings.Replace(string(crafted), "{", "{ ", 1)} {
					r, err := NewReader(bytes.NewReader(pack(firstLine, text)))
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					if _, err := r.Next(); err != io.EOF || r.End() != nil || len(r.Samples()) > 0 {
						t.Fatalf("%s of %d was taken: %s", name, extreme, text)
					}
					if skipped, why := r.Skipped(); skipped != 1 || why == nil {
						t.Fatalf("%s: %d skipped, %v", name, skipped, why)
					}
				}
			})
			if n < 8 {
				t.Errorf("only %d numbers were tried of %s", n, b)
			}
		}
	}
}

// eachNumber calls f with a line for each of its numbers, which is set to v in it.
func eachNumber(line *Line, b []byte, v int64, free map[string]bool, f func(name string, crafted []byte)) {
	count := numbers(reflect.ValueOf(line), -1, v, free, new(int), new(string))
	for i := range count {
		var crafted Line
		_ = json.Unmarshal(b, &crafted) // it was marshalled a moment ago
		var name string
		numbers(reflect.ValueOf(&crafted), i, v, free, new(int), &name)
		text, _ := json.Marshal(crafted)
		f(name, text)
	}
}

// numbers counts the integers of a value, and sets the one of that number.
func numbers(v reflect.Value, which int, to int64, free map[string]bool, seen *int, name *string) int {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			numbers(v.Elem(), which, to, free, seen, name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i).Name; !free[field] {
				before := *seen
				numbers(v.Field(i), which, to, free, seen, name)
				if before <= which && which < *seen && *name == "" {
					*name = field
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			numbers(v.Index(i), which, to, free, seen, name)
		}
	case reflect.Int, reflect.Int64:
		if *seen == which {
			v.SetInt(to)
		}
		*seen++
	}
	return *seen
}

func TestRunsThatCantBe(t *testing.T) {
	for _, options := range []string{
		`"options":{"num_prompts":9223372036854775807}`, `"options":{"max_concurrency":2305843009213693952}`,
		`"options":{"batch":2305843009213693952}`, `"options":{"request_rate":1e300}`, `"options":{"goodput":{"ttft":1e300}}`,
		`"options":{"price":{"devices":2305843009213693952}}`, `"targets":[` + strings.TrimSuffix(strings.Repeat("{},", 10_001), ",") + `]`,
	} {
		_, err := NewReader(bytes.NewReader(pack(`{"run":{"schema":1,` + options + `}}`)))
		if err == nil || !strings.Contains(err.Error(), "can't be") {
			t.Errorf("%.60s: %v", options, err)
		}
	}
}

// bomb is a journal that begins well and then repeats a piece until so many bytes.
func bomb(t *testing.T, piece string, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(z, firstLine)
	block := strings.Repeat(piece, 1<<20/len(piece))
	for n := 0; n < size; n += len(block) {
		if _, err := io.WriteString(z, block); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestBombs: what a small file unpacks to is bounded, in a line and in all.
func TestBombs(t *testing.T) {
	if testfiles.RaceDetector {
		t.Skip("hundreds of megabytes by one goroutine: CI runs this test without the race detector")
	}
	request := string(bytes.TrimSpace(AppendRequest(nil, &Request{Outcome: Complete})))
	for _, tt := range []struct{ what, piece, want string }{
		{"one line", "a", "longer than"},
		{"a text", `{"request":{"text":"`, "longer than"},
		{"requests", request + "\n", "unpack to more than"},
		{"samples", `{"sample":{}}` + "\n", "samples"},
		{"scrapes", `{"scrape":{"counters":{"a":1,"b":2}}}` + "\n", "counters"},
		{"unknown lines", `{}` + "\n", "no known kind"},
		{"empty lines", "\n", "not JSON"},
	} {
		file := bomb(t, tt.piece, 1<<27)
		if len(file) > 1<<20 {
			t.Fatalf("%s: the file has %d bytes", tt.what, len(file))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatalf("%s: %v", tt.what, err)
		}
		for err == nil {
			_, err = r.Next()
		}
		runtime.ReadMemStats(&after)
		if r.Damage() == nil || !strings.Contains(r.Damage().Error(), tt.want) {
			t.Errorf("%s: %v", tt.what, r.Damage())
		}
		if used := int64(after.HeapAlloc) - int64(before.HeapAlloc); used > 512<<20 {
			t.Errorf("%s: %d MB", tt.what, used>>20)
		}
		r.Close()
	}
}

// TestLongestLine: what is written can be read, however much a server sent.
func TestLongestLine(t *testing.T) {
	if testfiles.RaceDetector {
		t.Skip("hundreds of megabytes by one goroutine: CI runs this test without the race detector")
	}
	long := strings.Repeat("\x01", MaxLine/6+1)
	texts := examples[1]
	texts.Prompt, texts.Text = &long, &long
	many := examples[1]
	for range MaxLine / 6 {
		many.Events.At, many.Events.Lag = append(many.Events.At, 1), append(many.Events.Lag, 1)
		many.Events.Kind, many.Events.Tokens = append(many.Events.Kind, 1), append(many.Events.Tokens, 1)
	}
	many.Events.Size = nil
	for _, tt := range []struct {
		r    *Request
		want Outcome
	}{{&texts, Complete}, {&many, Protocol}} {
		line := AppendRequest([]byte("before"), tt.r)[len("before"):]
		if len(line) > MaxLine {
			t.Fatalf("a line of %d bytes", len(line))
		}
		r, err := NewReader(bytes.NewReader(pack(firstLine, strings.TrimSpace(string(line)))))
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Next()
		if err != nil || got.Outcome != tt.want || got.Text != nil || got.Error == "" {
			t.Errorf("%v, %v, %v", err, r.Damage(), got)
		}
		r.Close()
	}
}
