package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/inferometer/inferometer/internal/cli/argv"
)

// Version is the release; there is none yet.
const Version = "0.1.0-dev"

func version(_ context.Context, s streams, args []string) error {
	set := argv.New("inferometer version", "Print the version.")
	set.Example("The version, the commit and the platform", "inferometer version")
	if done, err := parse(s, set, args); done || err != nil {
		return err
	}
	fmt.Fprintf(s.out, "inferometer %s (%s, %s/%s)\n", fullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// fullVersion adds the commit that the binary was built from, where Go knows it.
func fullVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
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
	return Version + revision + dirty
}
