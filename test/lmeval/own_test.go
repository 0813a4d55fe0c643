package lmeval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/test/realserver"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// Each template of lm-eval's own tasks gives the same text, or fails, as in lm-eval.
func TestOwnTemplates(t *testing.T) {
	command := realserver.Lines(t, "INFEROMETER_LM_EVAL", 1, "make test-lm-eval")[0]
	script, err := filepath.Abs(filepath.Join("testdata", "templates.py"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(filepath.Dir(command), "python"), script)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(stderr.Bytes(), 2000))
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	same, failed := 0, 0
	for lines.Scan() {
		var theirs struct {
			Template string
			Doc      json.RawMessage
			Text     *string
			Error    string
		}
		if err := json.Unmarshal(lines.Bytes(), &theirs); err != nil {
			t.Fatal(err)
		}
		text, err := rendered(theirs.Template, theirs.Doc)
		switch {
		case theirs.Text == nil && err != nil:
			failed++
		case theirs.Text == nil || err != nil || *theirs.Text != text:
			t.Errorf("the template %q of %s gives %q, %v, and in lm-eval %s, %s", theirs.Template, theirs.Doc, text, err, lines.Bytes(), theirs.Error)
		default:
			same++
		}
	}
	t.Logf("%d texts are the same; %d fail in both", same, failed)
	if same < 10_000 {
		t.Errorf("only %d texts were compared", same)
	}
}

func rendered(source string, doc json.RawMessage) (string, error) {
	v, err := jinja.FromJSON(doc)
	if err != nil {
		return "", err
	}
	parsed, err := jinja.ParseSetup(source, task.Setup)
	if err != nil {
		return "", err
	}
	return parsed.Render(v.(*jinja.Dict).Map())
}

// All files of lm-eval's own tasks are read, or refused with a sentence.
func TestOwnFiles(t *testing.T) {
	command := realserver.Lines(t, "INFEROMETER_LM_EVAL", 1, "make test-lm-eval")[0]
	files, read, python := 0, 0, 0
	own := ownTasks(t, command)
	err := filepath.WalkDir(own, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".yaml" {
			return err
		}
		files++
		_, err = task.Load(file, own)
		switch {
		case err == nil:
			read++
		case strings.Contains(err.Error(), "Python"):
			python++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("of %d files %d are read, and %d refused because of Python", files, read, python)
	if read < 3000 {
		t.Errorf("only %d of %d files are read", read, files)
	}
}
