package find

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/plan/search"
	"github.com/inferometer/inferometer/internal/send/target"
)

// notes is a Progress that keeps what it is told.
type notes struct{ strings.Builder }

func (n *notes) Note(text string)           { n.WriteString(text) }
func (*notes) Begin(int, search.Probe)      {}
func (*notes) End(int, *search.Observation) {}

// Probes of another server at the same address are forgotten, with a word; those of
// the same one are kept, with their date.
func TestASearchKnowsItsServer(t *testing.T) {
	var version atomic.Value
	version.Store("1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, `{"data": [{"id": "m", "owned_by": "vllm"}]}`)
		case "/version":
			fmt.Fprintf(w, `{"version": %q}`, version.Load())
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	var said notes
	f := &Finder{Folder: t.TempDir(), Servers: []*target.Target{{Base: server.URL, Client: server.Client()}}, Progress: &said}
	open := func() *probeLog {
		t.Helper()
		l, err := f.openLog(t.Context(), search.Config{From: 1})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	at := time.Date(2026, 11, 14, 10, 32, 0, 0, time.Local)
	if err := open().add(search.Observation{X: 4, At: at}); err != nil {
		t.Fatal(err)
	}
	earlier := earlierOf(open().earlier)
	if earlier == nil || earlier.sentence(1) != "Nothing was measured now: all probes are those of an earlier run, of 2026-11-14 10:32; --fresh measures again." {
		t.Errorf("%+v", earlier)
	}
	if got := earlier.sentence(3); !strings.HasPrefix(got, "1 of the 3 probes are those of an earlier run") || said.Len() > 0 {
		t.Errorf("%s; %s", got, said.String())
	}
	version.Store("2")
	if l := open(); len(l.earlier) != 0 || !strings.Contains(said.String(), "the server is another one than before, so the search begins anew (then: vLLM 1; now: vLLM 2)") {
		t.Errorf("%d probes are kept: %s", len(l.earlier), said.String())
	}
	server.Close() // it can't be asked: what is there is kept
	if err := open().add(search.Observation{X: 4, At: at}); err != nil || len(open().earlier) != 1 {
		t.Errorf("%v", err)
	}
}
