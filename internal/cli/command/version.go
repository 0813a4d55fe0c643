package command

import (
	"runtime"
	"runtime/debug"
)

// Release is the version's number; there is no release yet. It is a variable because a release is stamped
// with the number of its tag by the linker (-X, see .goreleaser.yaml), and is never set elsewhere.
var Release = "0.1.0-dev"

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

// Built reads what Go wrote into this binary.
func Built() Build {
	info, _ := debug.ReadBuildInfo()
	return built(info)
}

func built(info *debug.BuildInfo) Build {
	b := Build{Version: Release, Release: Release, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
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
	if b.Commit != nil && len(*b.Commit) >= 12 {
		b.Version += "+" + (*b.Commit)[:12]
	}
	if b.Modified != nil && *b.Modified {
		b.Version += ".dirty"
	}
	return b
}

// Version is the release and the commit that the binary was built from, where Go knows it.
func Version() string { return Built().Version }
