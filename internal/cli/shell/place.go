package shell

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/journal/kept"
	"github.com/inferometer/inferometer/internal/outside"
)

// mostLooked bounds how many entries of a folder are looked at: a key that was pressed waits
// for it.
const mostLooked = 400

// place completes what lies on this machine.
func place(what argv.Takes, current string) Reply {
	switch what {
	case argv.File:
		return Reply{Files: true}
	case argv.Folder:
		return Reply{Folders: true}
	case argv.Run, argv.Scenario:
		// What a shell would expand is the shell's own business.
		if strings.HasPrefix(current, "~") || strings.ContainsAny(current, "$`") && !exists(filepath.Dir(current)) {
			return Reply{Files: true}
		}
		if r := listed(what, current); len(r.Words) > 0 {
			return r
		}
		return Reply{Files: true}
	}
	return Reply{}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// listed are the entries of a folder that can be meant, or lead there: of runs their folders
// and results, of scenarios YAML files, and folders to go on from.
func listed(what argv.Takes, current string) Reply {
	r := Reply{Names: true}
	head, _ := filepath.Split(current)
	// Repeats of one side of compare are joined with commas: the last one is completed.
	folder := head
	if folder == "" {
		folder = "."
	}
	entries := look(folder)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	var further []Candidate
	for _, e := range entries {
		name := e.Name()
		word := head + name
		if !strings.HasPrefix(word, current) || strings.HasPrefix(name, ".") && !strings.HasPrefix(current[len(head):], ".") || !Plain(word) {
			continue
		}
		about, isFolder := kind(what, filepath.Join(folder, name), e)
		switch {
		case about != "":
			r.Words = append(r.Words, Candidate{word, about})
		case isFolder:
			further = append(further, Candidate{word + "/", "folder"})
		}
	}
	r.Words = append(r.Words, further...)
	return r
}

// look reads the beginning of a folder.
func look(folder string) []fs.DirEntry {
	d, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, err := d.ReadDir(mostLooked)
	if err != nil && err != io.EOF {
		return nil
	}
	return entries
}

// kind says in words what an entry is, if it is what is wanted.
func kind(what argv.Takes, path string, e fs.DirEntry) (about string, isFolder bool) {
	mode := e.Type()
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		if err != nil {
			return "", false
		}
		mode = info.Mode()
	}
	ending := strings.ToLower(filepath.Ext(path))
	switch {
	case mode.IsDir() && what == argv.Run:
		return string(kept.Look(os.DirFS(filepath.Dir(path)), filepath.Base(path))), true
	case mode.IsDir():
		return "", true
	case !mode.IsRegular():
		return "", false
	case what == argv.Scenario && (ending == ".yaml" || ending == ".yml"):
		return "scenario", false
	case what == argv.Run && (ending == ".json" || ending == ".jsonl" || ending == ".md"):
		return "result", false
	}
	return "", false
}

// Plain says that a name can be offered: one with characters that steer a terminal, or end a
// line, is left to be typed.
func Plain(name string) bool { return outside.Line(name, len(name)+1) == name }
