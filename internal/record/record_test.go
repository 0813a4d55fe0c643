package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/inferometer/inferometer/internal/send/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a recorder at work.
type running struct {
	*Recorder
	url  string
	out  string
	stop func() []trace.Recorded // ends it and reads its rows
}

func start(t *testing.T, target string, change func(*Options)) *running {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Target: u, Block: 16, Files: Files{Out: filepath.Join(t.TempDir(), "a.jsonl")}, Say: t.Logf}
	if change != nil {
		change(&o)
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	drain, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.Serve(context.Background(), drain, l) }()
	end := sync.OnceFunc(func() {
		http.DefaultClient.CloseIdleConnections()
		close(drain)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return &running{r, "http://" + l.Addr().String(), o.Files.Out, func() []trace.Recorded {
		end()
		return readRows(t, o.Files.First())
	}}
}

func readRows(t *testing.T, name string) (rows []trace.Recorded) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r trace.Recorded
		if err := json.Unmarshal(line, &r); err != nil || line[len(line)-1] != '\n' {
			t.Fatalf("%v: %s", err, line)
		}
		rows = append(rows, r)
	}
	return rows
}

func post(ctx context.Context, url, body string, header ...string) (status int, answer string, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, "", err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	return a.StatusCode, string(b), err
}

// leave sends a request and leaves when a word of the answer is here.
func leave(t *testing.T, url, body, word string) {
	t.Helper()
	a, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close() // which ends the connection, as the answer goes on
	for got, b := "", make([]byte, 100); !strings.Contains(got, word); {
		n, err := a.Body.Read(b)
		if got += string(b[:n]); err != nil {
			t.Errorf("%q, %v", got, err)
			return
		}
	}
}

// server answers a completion with so many events, and usage where it is asked for.
func server(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var body struct {
			Prompt string
			N      int `json:"max_tokens"`
			Fault  string
			Usage  struct {
				Include bool `json:"include_usage"`
			} `json:"stream_options"`
		}
		data, _ := io.ReadAll(q.Body)
		_ = json.Unmarshal(data, &body)
		flush := http.NewResponseController(w)
		switch body.Fault {
		case "reset-before":
			panic(http.ErrAbortHandler)
		case "500":
			w.WriteHeader(500)
			fmt.Fprint(w, "secret words of the server")
			return
		case "page":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, strings.Repeat("\x00\xff{[<", 4000))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_ = flush.Flush()
		for i := range body.N {
			fmt.Fprintf(w, "data: {\"choices\":[{\"text\":\"word%d\"}]}\n\n", i)
			_ = flush.Flush()
			if i == 2 {
				switch body.Fault {
				case "reset":
					panic(http.ErrAbortHandler)
				case "truncate":
					return
				case "stall":
					<-q.Context().Done()
					return
				}
			}
		}
		if body.Usage.Include {
			fmt.Fprintf(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":%d}}\n\n", len(body.Prompt)/4, body.N)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s
}

// Many at once pass whole, each is one row, and the rows are in the order of time. An answer
// that begins while net/http still looks at the request's end was cut off once.
func TestManyPassWhole(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 1000
	}
	r := start(t, server(t).URL, nil)
	slots := make(chan struct{}, 32)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			body := fmt.Sprintf(`{"model":"m","prompt":%q,"max_tokens":4,"stream_options":{"include_usage":true}}`, strings.Repeat("p", 64+i%900))
			if status, answer, err := post(t.Context(), r.url+"/v1/completions", body); err != nil || status != 200 || !strings.HasSuffix(answer, "[DONE]\n\n") {
				t.Errorf("%d %v %q", status, err, answer)
			}
		})
	}
	all.Wait()
	rows := r.stop()
	if len(rows) != n {
		t.Fatalf("%d rows of %d; %+v", len(rows), n, r.Counts())
	}
	last := -1.0
	for _, row := range rows {
		if row.Outcome != "complete" || *row.Output != 4 || row.OutputBy != trace.ByUsage || row.Input == nil || row.TTFT == nil {
			t.Fatalf("%+v", row)
		}
		if *row.Timestamp < last {
			t.Fatalf("%v after %v", *row.Timestamp, last)
		}
		last = *row.Timestamp
	}
}

func TestFaultsPassAndAreRecorded(t *testing.T) {
	s := server(t)
	r := start(t, s.URL, nil)
	want := map[string]string{"": "complete", "reset-before": "reset", "500": "http_5xx", "page": "truncated", "reset": "truncated", "truncate": "truncated", "stall": "cancelled"}
	for fault, outcome := range want {
		body := fmt.Sprintf(`{"model":%q,"prompt":"p","max_tokens":5,"fault":%q}`, outcome, fault)
		if fault == "stall" {
			leave(t, r.url+"/v1/completions", body, "word2")
			continue
		}
		status, answer, err := post(t.Context(), r.url+"/v1/completions", body)
		switch {
		case fault == "reset-before" && (status != 502 || !strings.Contains(answer, "gave no answer")),
			fault == "500" && (status != 500 || answer != "secret words of the server"),
			(fault == "reset") == (err == nil):
			t.Errorf("%s: %d %q %v", fault, status, answer, err)
		}
	}
	s.Close()
	status, answer, err := post(t.Context(), r.url+"/v1/completions", `{"model":"refused","prompt":"p"}`)
	if status != 502 || !strings.Contains(answer, "connection refused") || err != nil {
		t.Errorf("%d %q %v", status, answer, err)
	}
	rows := r.stop()
	if len(rows) != len(want)+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		// The model was named after it. Nobody reads the body of a request that has nowhere to go.
		if row.Outcome != row.Model && (row.Outcome != "refused" || row.Model != "") {
			t.Errorf("%s, not %s", row.Outcome, row.Model)
		}
		if row.Outcome == "cancelled" && (row.Output == nil || *row.Output != 3 || row.OutputBy != trace.ByEvents) {
			t.Errorf("%+v", row)
		}
	}
}

// Neither texts nor keys are in a file that did not ask for them.
func TestNothingSecretIsKept(t *testing.T) {
	s := server(t)
	for _, texts := range []bool{false, true} {
		r := start(t, s.URL, func(o *Options) { o.Texts = texts })
		_, _, err := post(t.Context(), r.url+"/hidden-path-key/v1/completions?key=hidden-query", `{"model":"m","prompt":"the prompt","user":"hidden-user","max_tokens":3,"temperature":0.5,"stop":"hidden-stop","logit_bias":{"5":1}}`,
			"Authorization", "Bearer hidden-key", "X-Session-Id", "hidden-session", "Cookie", "hidden-cookie")
		if err != nil {
			t.Fatal(err)
		}
		rows := r.stop()
		if len(rows) != 1 || string(rows[0].Sampling["temperature"]) != "0.5" || rows[0].Session == "" || rows[0].Path != "/completions" {
			t.Fatalf("%+v", rows)
		}
		data, _ := os.ReadFile(r.out)
		for _, word := range []string{"hidden-path", "hidden-query", "hidden-key", "hidden-session", "hidden-cookie", "hidden-user", "hidden-stop", "the prompt", "word1"} {
			body := !strings.HasSuffix(word, "path") && strings.Contains("hidden-user hidden-stop the prompt word1", word)
			if bytes.Contains(data, []byte(word)) != (texts && body) {
				t.Errorf("texts %v: %q in %s", texts, word, data)
			}
		}
	}
}

func TestFilesRotateAndOldOnesAreRefused(t *testing.T) {
	s := server(t)
	r := start(t, s.URL, func(o *Options) { o.Files.MaxSize = 900 })
	for range 7 {
		if _, _, err := post(t.Context(), r.url+"/v1/completions", `{"model":"m","prompt":"p","max_tokens":3}`); err != nil {
			t.Fatal(err)
		}
	}
	r.stop()
	found, err := trace.Open("", filepath.Dir(r.out))
	if err != nil || len(found.Files) < 3 || found.Format.Name != "inferometer" {
		t.Fatalf("%+v %v", found, err)
	}
	n := 0
	for _, name := range found.Files {
		n += len(readRows(t, name))
	}
	if n != 7 {
		t.Errorf("%d rows", n)
	}
	if _, err := New(r.opts); err == nil || !strings.Contains(err.Error(), "earlier recording") {
		t.Errorf("%v", err)
	}
}

// full is a disk with room for one row.
type full struct{ bytes.Buffer }

func (f *full) Seek(int64, int) (int64, error) { return 0, nil }
func (f *full) Close() error                   { return nil }
func (f *full) Truncate(n int64) error {
	f.Buffer.Truncate(int(n))
	return nil
}

func (f *full) Write(p []byte) (int, error) {
	if f.Len() > 0 {
		n, _ := f.Buffer.Write(p[:10])
		return n, errors.New("no space left on device")
	}
	return f.Buffer.Write(p)
}

func TestFullDiskStopsTheRecordingAlone(t *testing.T) {
	said := ""
	r := &Recorder{opts: Options{Say: func(format string, args ...any) { said += fmt.Sprintf(format, args...) }}, clock: time.Now()}
	disk := &full{}
	w := &writer{r: r, files: &files{f: disk}, hash: hasher{block: 16}}
	at := 1.0
	for range 3 {
		w.write(&row{Recorded: trace.Recorded{Timestamp: &at}})
	}
	if c := r.Counts(); c.Written != 1 || c.Lost != 2 || !strings.Contains(said, "RECORDING HAS STOPPED: no space") {
		t.Errorf("%+v %s", c, said)
	}
	if b := disk.String(); strings.Count(b, "\n") != 1 || !strings.HasSuffix(b, "}\n") {
		t.Errorf("%q", b)
	}
}

// Equal ids are equal beginnings, and nothing else.
func TestBlocksNamePrefixes(t *testing.T) {
	h := &hasher{secret: []byte("s"), block: 4}
	ids := func(model, text string, tokens int) []uint64 {
		c := h.chain(model)
		c.ofText(text)
		return c.fit(tokens, 4)
	}
	long := strings.Repeat("abcdefgh", 20)
	a, b := ids("m", long+"x", 40), ids("m", long+"y", 40)
	if len(a) != 10 || len(b) != 10 {
		t.Fatal(len(a), len(b))
	}
	for i := range a {
		if (a[i] == b[i]) != (i < 9) || a[i] >= 1<<idBits {
			t.Errorf("%d: %d and %d", i, a[i], b[i])
		}
	}
	if other := ids("n", long+"x", 40); other[0] == a[0] {
		t.Error("models share blocks")
	}
	if more := ids("m", long+"x", 60); len(more) != 15 || more[8] != a[8] {
		t.Error(more)
	}
	c := (&hasher{secret: []byte("t"), block: 4}).chain("m")
	c.ofText(long)
	if c.ids[0] == a[0] {
		t.Error("the secret changes nothing")
	}
}

func FuzzReadRequest(f *testing.F) {
	for _, s := range []string{
		`{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":1}`, `{"prompt":[1,2,3],"options":{"num_predict":5}}`, `{"prompt":["a","b"]}`,
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"instructions":"be"}`, `{"text":"x","sampling_params":{"max_new_tokens":3}}`,
		`{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}],"metadata":{"user_id":"u"}}`, `[]`, `{"prompt":[[[[]]]]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, ok := readRequest(data)
		if !ok {
			return
		}
		for name, v := range a.sampling {
			if v[0] == '"' || v[0] == '{' || v[0] == '[' {
				t.Errorf("%s is %s", name, v)
			}
		}
		if len(a.prompt.text) > 20*len(data)+100 {
			t.Errorf("%d bytes of %d", len(a.prompt.text), len(data))
		}
	})
}
