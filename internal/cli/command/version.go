package command

import (
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// stamped is the number of the release that this binary was built for. The linker writes it (-X, see
// .goreleaser.yaml) and nothing else does: a number kept by hand would be that of the last release.
var stamped string

// unknown is the release of a binary in which nobody wrote one: built without version control, or a test.
const unknown = "devel"

// Build is what is known of how this binary was made. What Go did not write into it is nil.
type Build struct {
	Version    string  `json:"version"`
	Release    string  `json:"release"`
	Commit     *string `json:"commit"`
	CommitTime *string `json:"commit_time"`
	Modified   *bool   `json:"modified"`
	Go         string  `json:"go"`
	OS         string  `json:"os"`
	Arch       string  `json:"arch"`
}

// Built reads what the linker and Go wrote into this binary.
var Built = sync.OnceValue(func() Build {
	info, _ := debug.ReadBuildInfo()
	return built(stamped, info)
})

func built(stamped string, info *debug.BuildInfo) Build {
	b := Build{Release: release(stamped, info), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	b.Version = b.Release
	if info == nil {
		return b
	}
	for _, kv := range info.Settings {
		switch kv.Key {
		case "vcs.revision":
			b.Commit = &kv.Value
		case "vcs.time":
			b.CommitTime = &kv.Value
		case "vcs.modified":
			b.Modified = new(kv.Value == "true")
		}
	}
	separator := "+"
	if b.Commit != nil && len(*b.Commit) >= 12 && !strings.HasSuffix(b.Release, (*b.Commit)[:12]) {
		b.Version += separator + (*b.Commit)[:12]
		separator = "."
	}
	if b.Modified != nil && *b.Modified {
		b.Version += separator + "dirty"
	}
	return b
}

// release is the linker's number, else what Go says of the module: the tag that was installed or checked out, or
// a pseudo-version, which names the commit and the tag before it.
func release(stamped string, info *debug.BuildInfo) string {
	if stamped != "" {
		return stamped
	}
	if info == nil {
		return unknown
	}
	tag, _, _ := strings.Cut(info.Main.Version, "+") // what follows is +dirty, which the settings tell too
	number, ok := strings.CutPrefix(tag, "v")
	if !ok {
		return unknown // "(devel)", or nothing
	}
	return number
}

// Release is the number of the release, or the pseudo-version of a build between two.
func Release() string { return Built().Release }

// Version is the release and the commit that the binary was built from, where Go knows it.
func Version() string { return Built().Version }
