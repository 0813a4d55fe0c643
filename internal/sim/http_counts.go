package sim

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// answerCounts counts answers as prometheus-fastapi-instrumentator does for vLLM: by what was asked for and the class of the status.
type answerCounts struct {
	mu    sync.Mutex
	count map[answerKind]uint64
}

type answerKind struct {
	handler string // the pattern of its path
	class   int    // 2 for 200 to 299
}

func (a *answerCounts) add(handler string, status int) {
	if handler == "" { // of a test without a server
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count == nil {
		a.count = map[answerKind]uint64{}
	}
	a.count[answerKind{handler, max(status/100, 2)}]++ // without a status the client had left, which counts as a success there
}

// show writes them; they carry no model.
func (a *answerCounts) show(p *promText) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p.head("http_requests_total", "counter", "Requests by path and class of the status.")
	kinds := slices.SortedFunc(maps.Keys(a.count), func(a, b answerKind) int {
		return cmp.Or(cmp.Compare(a.handler, b.handler), cmp.Compare(a.class, b.class))
	})
	for _, k := range kinds {
		_, _ = p.WriteString(`http_requests_total{handler=` + label(k.handler) + `,method="POST",status="` + strconv.Itoa(k.class) + `xx"} ` + number(float64(a.count[k])) + "\n")
	}
}
