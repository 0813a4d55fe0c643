package release

import (
	"bytes"
	"debug/buildinfo"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// dist is the folder of a built release.
func dist(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs(realserver.Lines(t, "INFEROMETER_RELEASE", 1, "make test-release")[0])
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// one is the one file of the release with a name like this.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dist(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %q, %v", pattern, found, err)
	}
	return found[0]
}

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not here", program)
	}
}

// installed are the files that both packages bring.
var installed = []string{
	"/usr/bin/inferometer",
	"/usr/share/bash-completion/completions/inferometer",
	"/usr/share/doc/inferometer/THIRD-PARTY-NOTICES.txt",
	"/usr/share/doc/inferometer/copyright",
	"/usr/share/fish/vendor_completions.d/inferometer.fish",
	"/usr/share/man/man1/inferometer-bench-serve.1.gz",
	"/usr/share/man/man1/inferometer.1.gz",
	"/usr/share/zsh/vendor-completions/_inferometer",
}

// The .deb goes into a root of its own, works from there, and leaves nothing behind.
func TestDeb(t *testing.T) {
	needs(t, "dpkg")
	if os.Getuid() != 0 {
		t.Skip("dpkg sets owners, which needs root")
	}
	file, root := one(t, "*_linux_"+runtime.GOARCH+".deb"), t.TempDir()
	admin := filepath.Join(root, "var/lib/dpkg")
	for _, folder := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(admin, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, empty := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(admin, empty), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dpkg := func(args ...string) string {
		return command(t, "dpkg", append([]string{"--root=" + root, "--force-not-root", "--log=/dev/null"}, args...)...)
	}
	dpkg("--install", file)
	if said := dpkg("--status", "inferometer"); !strings.Contains(said, "Status: install ok installed") {
		t.Error(said)
	}
	for _, path := range installed {
		if _, err := os.Stat(filepath.Join(root, path)); err != nil {
			t.Error(err)
		}
	}
	saysItsVersion(t, command(t, filepath.Join(root, "usr/bin/inferometer"), "version"))
	dpkg("--verify", "inferometer")
	dpkg("--purge", "inferometer")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d.Name() == "dpkg" && d.IsDir() {
			return fs.SkipDir // its own books
		}
		if !d.IsDir() || strings.Contains(path, "inferometer") {
			t.Errorf("%s is left behind", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Debian's own tool finds no fault with the packages.
func TestLintian(t *testing.T) {
	needs(t, "lintian")
	for _, arch := range []string{"amd64", "arm64"} {
		out, err := exec.Command("lintian", "--fail-on", "error,warning", "--allow-root", one(t, "*_linux_"+arch+".deb")).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", arch, err, out)
		}
	}
}

// The archive has all that belongs to the binary, owned by root.
func TestArchives(t *testing.T) {
	needs(t, "tar")
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"} {
		listing := command(t, "tar", "-tvzf", one(t, "*_"+platform+".tar.gz"))
		for _, name := range []string{
			"inferometer", "LICENSE", "README.md", "CHANGELOG.md", "THIRD-PARTY-NOTICES.txt", "inferometer.cdx.json",
			"man/inferometer.1", "man/inferometer-bench-serve.1", "completions/inferometer.bash", "completions/_inferometer", "completions/inferometer.fish",
		} {
			if !strings.Contains(listing, " "+name+"\n") {
				t.Errorf("%s has no %s:\n%s", platform, name, listing)
			}
		}
		for line := range strings.Lines(listing) {
			if !strings.Contains(line, " root/root ") {
				t.Errorf("%s: not owned by root: %s", platform, line)
			}
		}
	}
}

// That of Windows is a zip file, whose program Windows knows by its name.
func TestZipArchives(t *testing.T) {
	for _, platform := range []string{"windows_amd64", "windows_arm64"} {
		for _, name := range []string{"inferometer.exe", "LICENSE", "README.md", "CHANGELOG.md", "THIRD-PARTY-NOTICES.txt", "inferometer.cdx.json"} {
			if fileOfZip(t, platform, name) == "" {
				t.Errorf("%s: %s is empty", platform, name)
			}
		}
	}
}

func TestChecksums(t *testing.T) {
	needs(t, "sha256sum")
	sums := exec.Command("sha256sum", "-c", "checksums.txt")
	sums.Dir = dist(t)
	out, err := sums.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, kind := range []string{".tar.gz: OK", ".zip: OK", ".deb: OK", ".rpm: OK", ".image.tar: OK", ".whl: OK", ".cdx.json: OK"} {
		if n := bytes.Count(out, []byte(kind)); n < 2 {
			t.Errorf("%d files with %s:\n%s", n, kind, out)
		}
	}
}

// The SBOM has each module that Go finds in the binary and what the pages embed, and no other, each with its
// licence; the notices have them too.
func TestSBOMAndNotices(t *testing.T) {
	folder := t.TempDir()
	command(t, "tar", "-xzf", one(t, "*_linux_"+runtime.GOARCH+".tar.gz"), "-C", folder)
	info, err := buildinfo.ReadFile(filepath.Join(folder, "inferometer"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		Components []struct {
			Name, Version string
			Licenses      []struct{ License struct{ ID string } }
		}
	}
	readJSON(t, filepath.Join(folder, "inferometer.cdx.json"), &bom)
	var want, got []string
	for _, m := range info.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	want = append(want, "uplot 1.6.32") // in the pages
	for _, c := range bom.Components {
		if c.Name != "std" {
			got = append(got, c.Name+" "+c.Version)
		}
		if len(c.Licenses) == 0 || c.Licenses[0].License.ID == "" {
			t.Errorf("the SBOM does not say under which licence %s is", c.Name)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) || len(want) < 20 {
		t.Errorf("the binary has %q, the SBOM %q", want, got)
	}
	notices := command(t, "cat", filepath.Join(folder, "THIRD-PARTY-NOTICES.txt"))
	for _, name := range append(want, "Go and its standard library, "+strings.TrimPrefix(info.GoVersion, "go")) {
		if !strings.Contains(notices, "\n"+name) && !strings.Contains(notices, name+" (") {
			t.Errorf("no notice of %s", name)
		}
	}
}
