package main

import (
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// A work is something of others that is in the binary, and where its licence texts are.
type work struct {
	name, version, purl string
	sum                 string // Go's sum of a module
	folder              string
	flat                bool // only the folder itself: below Go's are programs that are not in the binary
}

// binaryFlags are what both makers of lists ask for: the notices and the SBOM are of the same works.
func binaryFlags(set *flag.FlagSet) (binary, repo *string) {
	return set.String("binary", "", "the binary whose works are listed"), set.String("repo", ".", "the checkout that it was built from")
}

// worksOf are Go itself, the binary's modules, and what the checkout embeds.
func worksOf(binary, repo string) ([]work, *debug.BuildInfo, error) {
	if binary == "" {
		return nil, nil, errors.New("say -binary")
	}
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	folders, err := moduleFolders(repo)
	if err != nil {
		return nil, nil, err
	}
	std := strings.TrimPrefix(info.GoVersion, "go")
	works := []work{{name: "std", version: std, purl: purl("std", std), folder: strings.TrimSpace(string(root)), flat: true}}
	for _, m := range linked(info) {
		works = append(works, work{name: m.Path, version: m.Version, purl: purl(m.Path, m.Version), sum: m.Sum, folder: folders[m.Path+"@"+m.Version]})
	}
	embedded, err := embeddedWorks(repo)
	return append(works, embedded...), info, err
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

// uplotVersion stands in the first line of its script.
var uplotVersion = regexp.MustCompile(`^/\*! https://github\.com/leeoniya/uPlot \(v([0-9.]+)\) \*/`)

// embeddedWorks are files of others below internal and tokenizer. A folder of theirs has its LICENSE in it; one
// that is not known here is an error, because nobody could say its version.
func embeddedWorks(repo string) ([]work, error) {
	var found []work
	for _, top := range []string{"internal", "tokenizer"} {
		err := filepath.WalkDir(filepath.Join(repo, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if d.IsDir() || !licenceFile.MatchString(d.Name()) || strings.HasSuffix(path, ".go") {
				return nil
			}
			folder := filepath.Dir(path)
			script, err := os.ReadFile(filepath.Join(folder, "uPlot.iife.min.js"))
			if err != nil {
				return fmt.Errorf("%s: whose work this is must be said in packaging/pack/works.go: %w", folder, err)
			}
			m := uplotVersion.FindSubmatch(script)
			if m == nil {
				return fmt.Errorf("%s: the first line of uPlot's script names no version", folder)
			}
			version := string(m[1])
			found = append(found, work{name: "uplot", version: version, purl: "pkg:npm/uplot@" + version, folder: folder, flat: true})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
