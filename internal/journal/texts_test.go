package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// grown is a dump in which every number that is not 0 has grown, as in a server that is busy
// everywhere; changed is how many.
func grown(dump string, random *rand.Rand) (text string, changed int) {
	var b strings.Builder
	for line := range strings.Lines(dump) {
		name, number, _ := cutLast(strings.TrimSuffix(line, "\n"))
		v, err := strconv.ParseFloat(number, 64)
		if err != nil || v == 0 || strings.HasPrefix(line, "#") {
			b.WriteString(line)
			continue
		}
		changed++
		b.WriteString(name + " " + strconv.FormatFloat(v+1+float64(random.IntN(1000)), 'f', 1, 64) + "\n")
	}
	return b.String(), changed
}

func cutLast(line string) (before, after string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return line, "", false
	}
	return line[:i], line[i+1:], true
}

// keptMetrics are the whole lines of a file, which may be cut off.
func keptMetrics(t *testing.T, path string) (list []MetricsText) {
	t.Helper()
	if err := ReadMetrics(path, func(m *MetricsText) error { list = append(list, *m); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// What is no line of ours ends the reading, and an absurd time does too.
func FuzzReadMetrics(f *testing.F) {
	for _, seed := range []string{"", "{", `{"at":1,"target":0,"url":"http://x","text":"a 1\n"}` + "\n" + `{"at":2`, `{"at":9223372036854775807}`, `{"at":0,"target":-1}`, "null\n[]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := readMetrics(bytes.NewReader(b), func(m *MetricsText) error {
			if m.At < -maxTime || m.At > maxTime || m.Target < 0 {
				t.Errorf("%+v", m)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// Ten minutes of a real vLLM's metrics, once a second: what each scrape takes.
func TestMetricsAreKeptWhole(t *testing.T) {
	b, err := os.ReadFile(testfiles.Path(t, "metrics", "vllm_0.32_cpu_live.prom"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), MetricsName)
	w := NewMetricsWriter(path)
	random := rand.New(rand.NewPCG(1, 2))
	text := string(b)
	var all []string
	changed := 0
	const scrapes = 600
	for i := range scrapes {
		text, changed = grown(text, random)
		all = append(all, text)
		if err := w.Write(&MetricsText{At: int64(i) * 1e9, URL: "http://x/metrics", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path) // as after a kill: it is not closed
	if err != nil {
		t.Fatal(err)
	}
	each := float64(info.Size()) / scrapes
	t.Logf("%d bytes of text with %d numbers that change become %.0f bytes per scrape", len(b), changed, each)
	if each > float64(len(b))/6 {
		t.Errorf("%.0f bytes per scrape of %d: the scrape before is not found", each, len(b))
	}
	for _, closed := range []bool{false, true} {
		if closed {
			if dropped, err := w.Close(); dropped != 0 || err != nil {
				t.Fatal(dropped, err)
			}
		}
		got := keptMetrics(t, path)
		if len(got) != scrapes {
			t.Fatalf("closed %v: %d scrapes were read", closed, len(got))
		}
		for i, one := range got {
			if one.Text != all[i] || one.At != int64(i)*1e9 {
				t.Fatalf("closed %v: scrape %d is not what was written", closed, i)
			}
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{len(whole) - 1, len(whole) / 2, 100} {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := keptMetrics(t, path); len(got) > scrapes || cut > 1000 && len(got) < scrapes/3 {
			t.Errorf("of %d bytes %d scrapes were read", cut, len(got))
		}
	}
}

// Beyond its bound the file takes no more, says so once, and counts.
func TestMetricsFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), MetricsName)
	w := NewMetricsWriter(path)
	w.limit = 100_000
	random := rand.New(rand.NewPCG(3, 4))
	said := 0
	for range 50 {
		var text strings.Builder
		for range 1000 {
			fmt.Fprintf(&text, "%x\n", random.Uint64())
		}
		if err := w.Write(&MetricsText{Text: text.String()}); err != nil {
			said++
		}
	}
	dropped, err := w.Close()
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || said != 1 || dropped < 20 || info.Size() > w.limit {
		t.Errorf("%v %v: said %d times, %d dropped, %d bytes", err, statErr, said, dropped, info.Size())
	}
	if got := keptMetrics(t, path); len(got) != 50-dropped {
		t.Errorf("%d scrapes were read, %d dropped", len(got), dropped)
	}
}

// A run's folder may hold the file: it is ours, and is removed with it.
func TestFolderWithMetricsIsARun(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{FileName, MetricsName} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !isRun(dir) {
		t.Error("a folder with metrics is not taken for a run's")
	}
}
