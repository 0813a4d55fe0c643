package scenario

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// A result belongs to the server that gave it. One that we start is known by its
// command and by the files that the command names; one that was up before by what it
// says of itself.

// askTimeout bounds the questions to a server that may be down.
const askTimeout = 5 * time.Second

// self is what the servers at these addresses say of themselves; empty: they don't.
func (r *Runner) self(ctx context.Context, urls []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var words []string
	for _, url := range urls {
		text, err := r.run.At(url).Self(ctx)
		if err != nil {
			return "", err
		}
		words = append(words, text)
	}
	return strings.Join(words, " + "), nil
}

// current says whether a finished point's result is of the server that is there now.
// Each server is asked once. One that can't be asked is given the benefit of the
// doubt: the result is shown with its date.
func (r *Runner) current(ctx context.Context, p *Point, rec *Record) bool {
	if p.target.started() && !p.target.Backends.up() {
		return true // its command and files are in the fingerprint
	}
	now, asked := r.selves[p.server]
	if !asked {
		var err error
		if now, err = r.self(ctx, p.target.found()); err != nil {
			r.run.Note("whether %s is still the server of its results can't be told: %v", p.Target(), err)
		}
		r.selves[p.server] = now
	}
	if now == "" || now == rec.Self {
		return true
	}
	if !r.told[p.server] {
		r.told[p.server] = true
		then, is := target.Differ(rec.Self, now)
		if rec.Self == "" {
			then = "not written down"
		}
		r.run.Note("%s is another server than on %s, so what was measured then is measured again (then: %s; now: %s)", p.Target(), rec.Measured(), then, is)
	}
	return false
}

// outdated says of a point that has a result why it is measured again all the same,
// once for each target and cause.
func (r *Runner) outdated(p *Point) {
	rec := r.Folder.kept(p)
	if !rec.done() {
		return
	}
	why := p.changedSince(rec)
	if key := p.Target() + why; !r.told[key] {
		r.told[key] = true
		r.run.Note("points of %s that were measured on %s are measured again: %s", p.Target(), rec.Measured(), why)
	}
}

// changedSince explains why a record is not valid for the point any more.
func (p *Point) changedSince(rec *Record) string {
	var names []string
	for _, mark := range slices.Concat(p.files, rec.Files) {
		name := fileOf(mark)
		if slices.Contains(p.files, mark) != slices.Contains(rec.Files, mark) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return "changed since then: " + strings.Join(names, ", ")
	case !slices.Equal(p.Shown, rec.Args):
		return "what is sent, or how, has changed"
	}
	return "the target, the SLO or the settings around it have changed"
}

// fileOf is the file name of a mark.
func fileOf(mark string) string {
	for range 2 {
		if i := strings.LastIndexByte(mark, ' '); i >= 0 {
			mark = mark[:i]
		}
	}
	return mark
}

// urls are the addresses of a target that is not started by us.
func (t *Target) urls() []string {
	if t.BaseURL != "" {
		return []string{t.BaseURL}
	}
	return t.BaseURLs
}

// found are the addresses of all servers of a target that were up before, those behind it among them.
func (t *Target) found() (urls []string) {
	if !t.started() {
		urls = t.urls()
	}
	for _, b := range t.Backends {
		urls = append(urls[:len(urls):len(urls)], b.URLs...)
	}
	return urls
}

// commandFiles are the program, the model and the settings that a command names, each
// with its size and the time of its last change. What a command writes (a log behind
// a >, or anything that is neither a program nor looks like a model or settings) is
// left out, or each start would make it another server.
func (s *Start) commandFiles() (files []string) {
	if !s.started() {
		return nil
	}
	words := slices.Clone(s.Command.Args)
	if text, ok := target.ShellText(words); ok {
		words = shellWords(text)
	}
	for _, value := range s.Env {
		words = append(words, value)
	}
	for i, word := range words {
		if i > 0 && strings.HasSuffix(words[i-1], ">") || strings.Contains(word, ">") {
			continue
		}
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		files = append(files, fileMarks(s.find(word))...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// shellWords are the words of a command line, about as the shell would have them.
func shellWords(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n\"'();&|", r) })
}

// find is the file that a word of a command means, as far as it can be seen.
func (s *Start) find(word string) string {
	switch {
	case word == "" || strings.HasPrefix(word, "-"):
		return ""
	case filepath.IsAbs(word):
		return word
	case strings.ContainsRune(word, filepath.Separator) || modelFile(word):
		return filepath.Join(string(s.Cwd), word)
	}
	path, err := exec.LookPath(word)
	if err != nil {
		return ""
	}
	return path
}

func modelFile(name string) bool {
	switch filepath.Ext(name) {
	case ".gguf", ".safetensors", ".bin", ".pt", ".pth", ".onnx", ".json", ".yaml", ".yml", ".toml", ".py", ".sh", ".jinja":
		return true
	}
	return false
}

// mostFiles bounds what is looked at of a model's folder.
const mostFiles = 200

// fileMarks identify the version of a file, or of the model files of a folder.
func fileMarks(path string) []string {
	info, err := os.Stat(path)
	switch {
	case path == "" || err != nil:
		return nil
	case info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil
		}
		var marks []string
		for _, e := range entries[:min(len(entries), mostFiles)] {
			if at := filepath.Join(path, e.Name()); modelFile(at) {
				if info, err := os.Stat(at); err == nil {
					marks = append(marks, mark(at, info))
				}
			}
		}
		return marks
	case info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || modelFile(path)):
		return []string{mark(path, info)}
	}
	return nil
}

func mark(path string, info fs.FileInfo) string {
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}
