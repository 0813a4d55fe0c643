package release

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// version is that of the built release, as the names of its files have it.
func version(t *testing.T) string {
	t.Helper()
	name := filepath.Base(one(t, "*_linux_"+runtime.GOARCH+".tar.gz"))
	return strings.TrimSuffix(strings.TrimPrefix(name, "inferometer_"), "_linux_"+runtime.GOARCH+".tar.gz")
}

// saysItsVersion holds what `inferometer version` of a release says against the release's version.
func saysItsVersion(t *testing.T, said string) {
	t.Helper()
	if !regexp.MustCompile(`^inferometer ` + regexp.QuoteMeta(version(t)) + `(\+[0-9a-f]{12}(\.dirty)?)? \(`).MatchString(said) {
		t.Errorf("it says %q, and the release is %s", said, version(t))
	}
}

// repository makes a git repository with commits, the last of which has this tag, if it has one.
func repository(t *testing.T, folder string, tag string) func(args ...string) {
	t.Helper()
	git := func(args ...string) {
		t.Helper()
		all := append([]string{"-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)
		command(t, "git", all...)
	}
	git("init", "--quiet")
	git("add", "--all")
	git("commit", "--quiet", "--allow-empty", "-m", "first")
	if tag != "" {
		git("tag", tag)
	}
	return git
}

// The version of a release comes from git's tags.
func TestVersionOfTheRelease(t *testing.T) {
	needs(t, "git")
	script, err := filepath.Abs(filepath.Join("..", "..", "scripts", "version.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tag         string
		at1, after2 string // with the tag on the last commit, and two commits later
	}{
		{"", "0.0.0-dev.1", "0.0.0-dev.3"},
		{"v0.1.0", "0.1.0", "0.1.1-dev.2"},
		{"v0.1.0-rc.1", "0.1.0-rc.1", "0.1.0-dev.2"},
		{"v1.9.9", "1.9.9", "1.9.10-dev.2"},
		{"other", "0.0.0-dev.1", "0.0.0-dev.3"},
	} {
		folder := t.TempDir()
		git := repository(t, folder, c.tag)
		says := func(want string) {
			t.Helper()
			cmd := exec.Command("bash", script)
			cmd.Dir = folder
			if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
				t.Errorf("%q: %v, %s; want %s", c.tag, err, out, want)
			}
		}
		says(c.at1)
		git("commit", "--quiet", "--allow-empty", "-m", "second")
		git("commit", "--quiet", "--allow-empty", "-m", "third")
		says(c.after2)
	}
}

// checkout copies what git has of this repository into a folder.
func checkout(t *testing.T, folder string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tracked(t, root) {
		content, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func tracked(t *testing.T, root string) []string {
	t.Helper()
	needs(t, "git")
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skip("this is no checkout")
	}
	return strings.Split(strings.TrimSuffix(command(t, "git", "-C", root, "ls-files", "-z"), "\x00"), "\x00")
}

// A build of a checkout says its tag, or the commit that it is of, and whether it was changed; no number is kept by hand.
func TestVersionOfACheckout(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	folder := t.TempDir()
	checkout(t, folder)
	git := repository(t, folder, "v0.8.9")
	built := func(want string) {
		t.Helper()
		program := filepath.Join(t.TempDir(), "inferometer")
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-o", program, "./cmd/inferometer")
		build.Dir = folder
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if said := command(t, program, "version"); !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("it says %q, want %s", said, want)
		}
	}
	built(`^inferometer 0\.8\.9\+[0-9a-f]{12} \(`)
	if err := os.WriteFile(filepath.Join(folder, "README.md"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	built(`^inferometer 0\.8\.9\+[0-9a-f]{12}\.dirty \(`)
	git("commit", "--quiet", "--all", "-m", "second")
	built(`^inferometer 0\.8\.10-0\.[0-9]{14}-[0-9a-f]{12} \(`)
}

// `go install …@v0.8.9` gives a program that says 0.8.9. A folder stands in for the proxy of modules.
func TestGoInstall(t *testing.T) {
	_ = dist(t) // with the release's other tests: it compiles all of the program
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	const module, tag = "github.com/inferometer/inferometer", "v0.8.9"
	proxy := t.TempDir()
	write := func(name string, content []byte) {
		t.Helper()
		path := filepath.Join(proxy, module, "@v", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range tracked(t, root) {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || strings.HasPrefix(name, "packaging/certificates/") || strings.Contains(name, "testdata/") {
			continue // a module of its own, and what no build needs
		}
		f, err := w.Create(module + "@" + tag + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write("list", []byte(tag+"\n"))
	write(tag+".info", []byte(`{"Version":"`+tag+`"}`))
	write(tag+".mod", mod)
	write(tag+".zip", archive.Bytes())

	cache, others := strings.TrimSpace(command(t, "go", "env", "GOMODCACHE")), strings.TrimSpace(command(t, "go", "env", "GOPROXY"))
	bin, modules := t.TempDir(), t.TempDir()
	install := exec.Command("go", "install", module+"/cmd/inferometer@"+tag)
	install.Dir = bin // outside of any module
	install.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+bin, "GOMODCACHE="+modules, "GOFLAGS=-modcacherw -trimpath", "GONOSUMDB=*", "GONOSUMCHECK=1",
		"GOSUMDB=off", "GOPROXY=file://"+proxy+",file://"+filepath.Join(cache, "cache", "download")+","+others)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if said := command(t, filepath.Join(bin, "inferometer"), "version"); !strings.HasPrefix(said, "inferometer 0.8.9 (") {
		t.Errorf("it says %q", said)
	}
}
