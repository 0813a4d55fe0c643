package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile is how files are called whose text must go with a copy.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// A work is something of others that is in the binary, and where its licence texts are.
type work struct {
	name, folder string
	flat         bool // only the folder itself: below Go's are programs that are not in the binary
}

func noticesCommand(set *flag.FlagSet, args []string) ([]byte, error) {
	binary := set.String("binary", "", "the binary whose modules are listed")
	repo := set.String("repo", ".", "the checkout that it was built from")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if *binary == "" {
		return nil, errors.New("say -binary")
	}
	works, err := worksOf(*binary, *repo)
	if err != nil {
		return nil, err
	}
	return notices(works)
}

// worksOf are Go itself, the binary's modules, and what the checkout embeds.
func worksOf(binary, repo string) ([]work, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	works := []work{{"Go and its standard library, " + info.GoVersion, strings.TrimSpace(string(root)), true}}
	folders, err := moduleFolders(repo)
	if err != nil {
		return nil, err
	}
	for _, m := range linked(info) {
		works = append(works, work{m.Path + " " + m.Version, folders[m.Path+"@"+m.Version], false})
	}
	embedded, err := embeddedWorks(repo)
	return append(works, embedded...), err
}

// moduleFolders says where the module cache has each module of the checkout.
func moduleFolders(repo string) (map[string]string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Path}}@{{.Version}}\t{{.Dir}}", "all")
	list.Dir, list.Stderr = repo, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m all: %w", err)
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[name] = folder
	}
	return folders, nil
}

// embeddedWorks are files of others below internal and tokenizer: a folder of theirs has its LICENSE in it.
func embeddedWorks(repo string) ([]work, error) {
	var found []work
	for _, top := range []string{"internal", "tokenizer"} {
		err := filepath.WalkDir(filepath.Join(repo, top), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case !d.IsDir() && licenceFile.MatchString(d.Name()) && !strings.HasSuffix(path, ".go"):
				folder, err := filepath.Rel(repo, filepath.Dir(path))
				found = append(found, work{"files in " + filepath.ToSlash(folder), filepath.Dir(path), true})
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.CompactFunc(found, func(a, b work) bool { return a.folder == b.folder }), nil
}

// notices is one text of all licences. A work without one is an error: then somebody must look.
func notices(works []work) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("Inferometer contains works of others. Their licences and notices follow, each under the name of its work.\n")
	for _, w := range works {
		texts, err := licencesIn(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no licence file: find out under which licence it is before it is released", w.name)
		}
		for _, t := range texts {
			fmt.Fprintf(&b, "\n%s\n%s (%s)\n%s\n\n", strings.Repeat("=", 80), w.name, t.name, strings.Repeat("=", 80))
			b.WriteString(strings.TrimSpace(strings.ReplaceAll(t.content, "\r\n", "\n")) + "\n")
		}
	}
	return b.Bytes(), nil
}

type licenceText struct{ name, content string }

// licencesIn finds the licence files of a folder and those below it, which packages
// that were taken over from elsewhere have. At least one must be in the folder itself.
func licencesIn(w work) ([]licenceText, error) {
	folder := w.folder
	if folder == "" {
		return nil, errors.New("its source is not in the module cache: run go mod download")
	}
	var texts []licenceText
	atRoot := false
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (w.flat || d.Name() == "testdata" || d.Name() == "vendor") {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !licenceFile.MatchString(d.Name()) || filepath.Ext(path) == ".go" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		atRoot = atRoot || !strings.Contains(rel, string(filepath.Separator))
		texts = append(texts, licenceText{filepath.ToSlash(rel), string(content)})
		return nil
	})
	if !atRoot {
		return nil, err
	}
	return texts, err
}
