package command

import "runtime/debug"

// Release is the version's number; there is no release yet.
const Release = "0.1.0-dev"

// Version is the release and the commit that the binary was built from, where Go knows it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release
	}
	revision, dirty := "", ""
	for _, kv := range info.Settings {
		switch {
		case kv.Key == "vcs.revision" && len(kv.Value) >= 12:
			revision = "+" + kv.Value[:12]
		case kv.Key == "vcs.modified" && kv.Value == "true":
			dirty = ".dirty"
		}
	}
	return Release + revision + dirty
}
