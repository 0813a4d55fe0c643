package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/show/page"
)

// hostile stands in every place that comes from a file.
const hostile = `<script>alert("x")</script>../../` + "\u202e"

// resultJSON is a result with the i-th day and commit.
func resultJSON(i int, throughput float64, model string) []byte {
	b, err := json.Marshal(map[string]any{
		"date": fmt.Sprintf("202601%02d-000000", i+1), "backend": "vllm", "model_id": model, "num_prompts": 100, "request_rate": "inf", "max_concurrency": 8,
		"duration": 10.0 + float64(i), "completed": 100, "failed": 0, "total_input_tokens": 102400, "total_output_tokens": 12800, "request_throughput": throughput / 128,
		"output_throughput": throughput, "median_ttft_ms": 50.0, "commit": fmt.Sprintf("commit%d", i), "note": hostile,
	})
	if err != nil {
		panic(err)
	}
	return b
}

// folder has a series with a step, one with hostile words, and a run with a journal.
func folder() fstest.MapFS {
	files := fstest.MapFS{"secret": {Data: []byte("secret")}}
	for i := range 12 {
		throughput := 1000.0 + float64(i%3)
		if i >= 6 {
			throughput *= 0.9
		}
		files[fmt.Sprintf("night/%02d/out.json", i)] = &fstest.MapFile{Data: resultJSON(i, throughput, "m")}
	}
	files[hostile[:len(hostile)-9]+".json"] = &fstest.MapFile{Data: resultJSON(20, 1, hostile)} // without what an fs.FS refuses
	files["run/"+journal.FileName] = &fstest.MapFile{Data: []byte("journal")}
	files["run/"+journal.ResultName] = &fstest.MapFile{Data: resultJSON(25, 2, "ours")}
	return files
}

func newSite(files fstest.MapFS) *Site {
	return New(files, Options{Name: "runs", Version: "test", Report: func(w io.Writer, folder string, way []page.Link) error {
		_, err := fmt.Fprintf(w, "<html>report of %s, back to %s</html>", folder, way[1].Link)
		return err
	}})
}

func get(t *testing.T, h http.Handler, method, target string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var link = regexp.MustCompile(`(?:href|action)="([^"#]+)"`)

// TestEveryLinkLeadsSomewhere walks the whole site from its index.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	h := newSite(folder()).Handler(true)
	seen, todo := map[string]bool{}, []string{"/"}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		r := get(t, h, "GET", at)
		if r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", at, r.Status)
			continue
		}
		text := body(t, r)
		if strings.Contains(text, "<script>alert") {
			t.Errorf("%s holds a script of a file", at)
		}
		if r.Header.Get("Content-Security-Policy") == "" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s lacks headers: %v", at, r.Header)
		}
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if to := m[1]; to != "data:," && !strings.HasSuffix(to, "compare") {
				base := httptest.NewRequest("GET", "http://localhost"+at, nil).URL
				next, err := base.Parse(to)
				if err != nil || next.Host != "localhost" {
					t.Fatalf("%s leads to %s", at, to)
				}
				todo = append(todo, next.Path)
			}
		}
	}
	if len(seen) < 25 {
		t.Errorf("only %d pages were reached: %v", len(seen), seen)
	}
}

func TestChangeIsShown(t *testing.T) {
	h := newSite(folder()).Handler(true)
	index := body(t, get(t, h, "GET", "/"))
	for _, want := range []string{"output tok/s -10.0 % at commit6", "14 runs in 3 series", "Changed for the worse"} {
		if !strings.Contains(index, want) {
			t.Errorf("the index does not say %q", want)
		}
	}
	at := regexp.MustCompile(`series/[0-9a-f]{12}/output_throughput\.html`).FindString(index)
	metric := body(t, get(t, h, "GET", "/"+at))
	for _, want := range []string{"Over commits", ">commit6</a>", ">-10.0</td>", ">commit0</text>"} {
		if !strings.Contains(metric, want) {
			t.Errorf("the metric's page does not say %q", want)
		}
	}
}

func TestComparison(t *testing.T) {
	s := newSite(folder())
	h := s.Handler(true)
	st, err := s.look(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range st.series {
		if len(st.series[i].Runs) == 12 {
			ids = []string{st.series[i].Runs[0].ID, st.series[i].Runs[11].ID}
		}
	}
	r := get(t, h, "GET", "/compare?a="+ids[0]+"&b="+ids[1])
	if to := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || to != "compare/"+ids[0]+"-"+ids[1]+".html" {
		t.Fatalf("%s, %q", r.Status, to)
	}
	text := body(t, get(t, h, "GET", "/compare/"+ids[0]+"-"+ids[1]+".html"))
	for _, want := range []string{"00/out (commit0)", "11/out (commit11)", "-9.8"} {
		if !strings.Contains(text, want) {
			t.Errorf("the comparison does not say %q", want)
		}
	}
	if r := get(t, h, "GET", "/compare?a=https://elsewhere.example&b="+ids[1]); r.StatusCode != http.StatusNotFound {
		t.Errorf("a form that names no run: %s", r.Status)
	}
}

func TestRefused(t *testing.T) {
	h := newSite(folder()).Handler(true)
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{"POST", "/", 405},
		{"DELETE", "/index.html", 405},
		{"GET", "/secret", 404},
		{"GET", "/../secret", 404},
		{"GET", "/download/../secret", 404},
		{"GET", "/download/000000000000/result.json", 404},
		{"GET", "/download/000000000000/../../secret", 404},
		{"GET", "/run/..%2f..%2fsecret.html", 404},
		{"GET", "/run/000000000000.html", 404},
		{"GET", "/series/000000000000/output_throughput.html", 404},
		{"GET", "/series/\x00.html", 404},
		{"GET", "/night/00/out.json", 404},
		{"GET", "//etc/passwd", 404},
	} {
		r := get(t, h, test.method, test.path)
		if text := body(t, r); r.StatusCode != test.want || text == "secret" {
			t.Errorf("%s %q: %s", test.method, test.path, r.Status)
		}
	}
}

// A name that was made to point to this machine must not open it to a page from elsewhere.
func TestOnlyLocalHosts(t *testing.T) {
	for host, want := range map[string]int{
		"localhost:1": 200, "LOCALHOST": 200, "127.0.0.1:80": 200, "[::1]:80": 200, "127.9.9.9": 200,
		"evil.example:80": 403, "10.0.0.1:80": 403, "localhost.evil.example": 403, "": 403,
	} {
		r := httptest.NewRequest("GET", "http://localhost/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		newSite(folder()).Handler(true).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("host %q: %d, want %d", host, w.Code, want)
		}
	}
}

func TestHeadAndDownload(t *testing.T) {
	s := newSite(folder())
	h := s.Handler(true)
	r := get(t, h, "HEAD", "/")
	if r.StatusCode != 200 || body(t, r) != "" || r.ContentLength < 1000 {
		t.Errorf("HEAD: %s, %d bytes said", r.Status, r.ContentLength)
	}
	st, err := s.look(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range st.runs {
		if run.Folder != "run" {
			continue
		}
		got := get(t, h, "GET", "/download/"+run.ID+"/"+journal.FileName)
		if text := body(t, got); text != "journal" || got.Header.Get("Content-Disposition") != `attachment; filename=run-`+journal.FileName {
			t.Errorf("%q, %v", text, got.Header)
		}
		if got := get(t, h, "GET", "/run/"+run.ID+".html"); !strings.Contains(body(t, got), "report of run") {
			t.Error("a run with a journal has not the page of report")
		}
	}
}

// New files are there at the next look, and those that are gone are not.
func TestFollowsTheFolder(t *testing.T) {
	files := folder()
	s := newSite(files)
	now := time.Now()
	at := func(after time.Duration) int {
		n, _, err := s.Count(now.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := at(0)
	files["new.json"] = &fstest.MapFile{Data: resultJSON(22, 3, "new")}
	if got := at(freshFor / 2); got != before {
		t.Errorf("%d runs: the folder was read again at once", got)
	}
	if got := at(2 * freshFor); got != before+1 {
		t.Errorf("%d runs, want %d", got, before+1)
	}
	delete(files, "new.json")
	if got := at(4 * freshFor); got != before {
		t.Errorf("%d runs, want %d", got, before)
	}
}

// A link that leads out of the folder is not followed.
func TestLinksOutOfTheFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(outside, "out.json"), resultJSON(1, 5, "outside"), 0o600),
		os.Symlink(filepath.Join(outside, "out.json"), filepath.Join(dir, "link.json")),
		os.Symlink(outside, filepath.Join(dir, "folder")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if n, _, err := New(root.FS(), Options{}).Count(time.Now()); n != 0 || err != nil {
		t.Errorf("%d runs, %v", n, err)
	}
}

// The site as files has the same links, each to a file that is there.
func TestStaticSite(t *testing.T) {
	s := newSite(folder())
	s.opt.Static = true
	out := map[string]string{}
	err := s.Write(context.Background(), time.Now(), func(path string, data []byte) error {
		if !filepath.IsLocal(path) || out[path] != "" {
			t.Errorf("%s is written twice, or outside", path)
		}
		out[path] = string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range out {
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1]))
			if strings.HasPrefix(m[1], "data:") {
				continue
			}
			if _, ok := out[to]; !ok {
				t.Errorf("%s leads to %s, which is not there", path, m[1])
			}
		}
	}
	if len(out) < 30 || strings.Contains(out[indexPath], "<form") {
		t.Errorf("%d files", len(out))
	}
}

func TestEmptyFolder(t *testing.T) {
	text := body(t, get(t, newSite(fstest.MapFS{}).Handler(true), "GET", "/"))
	if !strings.Contains(text, "There is no run in this folder") {
		t.Error("an empty folder is not explained")
	}
}

func TestTicks(t *testing.T) {
	begin := time.Date(2026, 1, 31, 22, 0, 1, 0, time.UTC)
	for _, test := range []struct {
		span  time.Duration
		first string
	}{
		{time.Minute, "22:00:10"},
		{3 * time.Minute, "22:00:30"},
		{15 * time.Minute, "22:05"},
		{2 * time.Hour, "22:15"},
		{5 * time.Hour, "31 Jan 23:00"},
		{24 * time.Hour, "1 Feb 00:00"},
		{20 * 24 * time.Hour, "1 Feb"},
		{70 * 24 * time.Hour, "Feb 2026"},
		{3000 * 24 * time.Hour, "2027"},
	} {
		ticks := dayTicks(float64(begin.Unix()), float64(begin.Add(test.span).Unix()))
		if len(ticks) == 0 || len(ticks) > 40 || ticks[0].Label != test.first {
			t.Errorf("%v: %v, want the first to be %s", test.span, ticks, test.first)
		}
	}
}
