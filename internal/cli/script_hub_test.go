package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inferometer/inferometer/internal/hub/hubtest"
)

// hub DIR: starts a stand-in for Hugging Face's hub, sets $HF_ENDPOINT, and takes
// $HF_HUB_OFFLINE away. DIR holds models/org/name and datasets/org/name; a name that ends
// with -gated needs the token "sesame".
func cmdHub(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "hub DIR")
	root := ts.MkAbs(args[0])
	var repos []*hubtest.Repo
	for _, kind := range []string{"models", "datasets"} {
		folders, err := filepath.Glob(filepath.Join(root, kind, "*", "*"))
		ts.Check(err)
		for _, folder := range folders {
			name, err := filepath.Rel(filepath.Join(root, kind), folder)
			ts.Check(err)
			repo := &hubtest.Repo{Dataset: kind == "datasets", Name: filepath.ToSlash(name), Gated: strings.HasSuffix(name, "-gated"), Tags: []string{"v1"}, Files: map[string]string{}}
			ts.Check(filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				b, err := os.ReadFile(path)
				file, _ := filepath.Rel(folder, path)
				repo.Files[filepath.ToSlash(file)] = string(b)
				return err
			}))
			repos = append(repos, repo)
		}
	}
	server := hubtest.New(repos...)
	server.Token = "sesame"
	ts.Setenv("HF_ENDPOINT", server.URL)
	ts.Setenv("HF_HUB_OFFLINE", "")
	ts.Defer(server.Close)
}
