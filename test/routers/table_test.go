//go:build linux

package routers

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// The table of docs/targets.md stands between these two.
const (
	page       = "docs/targets.md"
	tableBegin = "<!-- written by go test ./test/routers -run TestEndings -update -->\n"
	tableEnd   = "<!-- end -->\n"
)

// table is what the page says, by row and column, and what is seen now.
type table struct {
	before, after string
	written       map[[2]string]string

	mu   sync.Mutex
	seen map[[2]string]string
}

func readTable(t testing.TB) *table {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(testfiles.Root(t), page))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), tableBegin)
	text, after, ended := strings.Cut(rest, tableEnd)
	if !found || !ended {
		t.Fatalf("%s has no place for the table", page)
	}
	p := &table{before: before, after: after, written: map[[2]string]string{}, seen: map[[2]string]string{}}
	var columns []string
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if i == 0 {
			columns = cells
		}
		for j, cell := range cells {
			if i > 1 && j > 0 && j < len(columns) {
				p.written[[2]string{cells[0], columns[j]}] = cell
			}
		}
	}
	return p
}

// hold keeps what is seen, and holds it against what the page says.
func (p *table) hold(t testing.TB, row, column, cell string) {
	t.Helper()
	p.mu.Lock()
	p.seen[[2]string{row, column}] = cell
	p.mu.Unlock()
	if want := p.written[[2]string{row, column}]; !*update && cell != want {
		t.Errorf("%s with %s: %s; %s says %q", row, column, cell, page, want)
	}
}

// write writes what was seen; what was not seen now stays.
func (p *table) write(t testing.TB) {
	t.Helper()
	head, rule := "| every replica:", "|---|"
	for _, r := range routers {
		head, rule = head+" | "+r.name, rule+"---|"
	}
	text := head + " |\n" + rule + "\n"
	for _, e := range endings {
		text += "| " + e.name
		for _, r := range routers {
			at := [2]string{e.name, r.name}
			cell, ok := p.seen[at]
			if !ok {
				cell = p.written[at]
			}
			text += " | " + cell
		}
		text += " |\n"
	}
	testfiles.Written(t, true, page, p.before+tableBegin+text+tableEnd+p.after)
}
