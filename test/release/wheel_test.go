package release

import (
	"archive/zip"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The wheels hold the release's own programs, not others that were built like them, and the same notices.
func TestWheels(t *testing.T) {
	needs(t, "tar")
	wheels := map[string]string{
		"linux_amd64": "*manylinux*x86_64*.whl", "linux_arm64": "*manylinux*aarch64*.whl",
		"darwin_amd64": "*macosx*x86_64.whl", "darwin_arm64": "*macosx*arm64.whl",
		"windows_amd64": "*win_amd64.whl", "windows_arm64": "*win_arm64.whl",
	}
	for platform, pattern := range wheels {
		program, archived := "inferometer", fileOfTar
		if strings.HasPrefix(platform, "windows") {
			program, archived = "inferometer.exe", fileOfZip
		}
		entries := unzip(t, one(t, pattern))
		for name, want := range map[string]string{
			".data/scripts/" + program:                    program,
			".dist-info/licenses/THIRD-PARTY-NOTICES.txt": "THIRD-PARTY-NOTICES.txt",
			".dist-info/licenses/LICENSE":                 "LICENSE",
		} {
			if got := entry(t, entries, name); got != archived(t, platform, want) {
				t.Errorf("%s: %s of the wheel is not the archive's %s", platform, name, want)
			}
		}
		if !strings.Contains(entry(t, entries, "THIRD-PARTY-NOTICES.txt"), "\nuplot 1.6.32 (LICENSE)\n") {
			t.Errorf("%s: the notices do not name uPlot", platform)
		}
	}
}

// A wheel's version is the release's, as PEP 440 writes it: 0.1.0-rc.1 is 0.1.0rc1.
func TestWheelVersion(t *testing.T) {
	name := filepath.Base(one(t, "*macosx*arm64.whl"))
	got, _, _ := strings.Cut(strings.TrimPrefix(name, "inferometer-"), "-")
	want := regexp.MustCompile(`-(rc)\.(\d+)$`).ReplaceAllString(version(t), "$1$2")
	want = regexp.MustCompile(`-(dev)\.(\d+)$`).ReplaceAllString(want, ".$1$2")
	if got != want {
		t.Errorf("%s is of the release %s: want %s", name, version(t), want)
	}
}

// fileOfTar and fileOfZip are the text of a file in the archive of a platform.
func fileOfTar(t *testing.T, platform, name string) string {
	t.Helper()
	return command(t, "tar", "-xzOf", one(t, "*_"+platform+".tar.gz"), name)
}

func fileOfZip(t *testing.T, platform, name string) string {
	t.Helper()
	return entry(t, unzip(t, one(t, "*_"+platform+".zip")), name)
}

func unzip(t *testing.T, path string) *zip.ReadCloser {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// entry is the text of the one entry whose name ends so.
func entry(t *testing.T, r *zip.ReadCloser, ending string) string {
	t.Helper()
	for _, f := range r.File {
		if strings.HasSuffix(f.Name, ending) {
			content, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer content.Close()
			text, err := io.ReadAll(content)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
	t.Fatalf("the wheel has no %s", ending)
	return ""
}

// The archive's program says the release's version.
func TestProgramSaysItsVersion(t *testing.T) {
	needs(t, "tar")
	folder := t.TempDir()
	command(t, "tar", "-xzf", one(t, "*_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"), "-C", folder)
	saysItsVersion(t, command(t, filepath.Join(folder, "inferometer"), "version"))
}
