package task

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// FuzzTask reads the text of a task, and asks what it says of two rows.
func FuzzTask(f *testing.F) {
	for _, name := range Names() {
		b, err := builtin.ReadFile("builtin/" + name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, file := range testfiles.Glob(f, "accuracy/lmeval/*.yaml") {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("a: &a [x]\nb: *a\n<<: {c: d}\n"))
	names := []string{"question", "answer", "options", "category", "q"}
	f.Fuzz(func(t *testing.T, b []byte) {
		from, err := parseTree(b)
		if err != nil {
			return
		}
		task := &Task{folder: filepath.Join(t.TempDir(), "none")}
		if err := task.from(from); err != nil {
			return
		}
		task.questions, task.examples = source{}, source{} // what a file names is not read here
		rows := &set{name: "rows", columns: names}
		for i, text := range []string{"one", "two {{x}}"} {
			rows.rows = append(rows.rows, newRow(i, table.Object{
				{Key: "question", Value: text},
				{Key: "answer", Value: int64(i)},
				{Key: "options", Value: []any{"a", "b"}},
				{Key: "category", Value: "c"},
				{Key: "q", Value: nil},
			}))
		}
		s, err := task.ask(rows, Options{Chat: task.kind != "choice"})
		if err != nil {
			return
		}
		for i := range s.Len() {
			item, err := s.Item(i)
			if err == nil && item.Context > len(item.Prompt) {
				t.Errorf("the context has %d of %d bytes", item.Context, len(item.Prompt))
			}
		}
	})
}

// FuzzLiteral reads lists as Python prints them: what is read and printed again is read as the same.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{`['a', "b'c", 'd\n\x41\u00e9\101']`, `[1, -2.5, None, True, (1,), ('x'), []]`, `['a' 'b', '''c''']`, `[1e5, .5]`, `["\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := literal(s)
		if err != nil {
			return
		}
		again, err := literal(pythonRepr(v))
		if err != nil {
			return // what Python prints of a float that is not finite is none
		}
		if list := pythonRepr(again); list != "["+pythonRepr(v)+"]" {
			t.Errorf("%q is read as %s, and that as %s", s, pythonRepr(v), list)
		}
	})
}
