package command

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuilt(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	info := func(main string, pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: main}}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	clean := []string{"vcs.revision", commit, "vcs.time", "2026-11-16T12:00:00Z", "vcs.modified", "false"}
	changed := []string{"vcs.revision", commit, "vcs.modified", "true"}
	for _, c := range []struct {
		name, stamped    string
		info             *debug.BuildInfo
		release, version string
		json             string
	}{
		{"nothing is known", "", nil, "devel", "devel", `"commit":null,"commit_time":null,"modified":null,`},
		{"no version control", "", info("(devel)", "GOOS", "linux"), "devel", "devel", `"commit":null,"commit_time":null,"modified":null,`},
		{"a test's binary", "", info(""), "devel", "devel", `"commit":null,`},
		{
			"a release", "1.2.3", info("v1.2.3", clean...), "1.2.3", "1.2.3+0123456789ab",
			`"commit":"` + commit + `","commit_time":"2026-11-16T12:00:00Z","modified":false,`,
		},
		{"the linker's number comes first", "1.2.3", info("v0.0.0-20261116120000-0123456789ab", clean...), "1.2.3", "1.2.3+0123456789ab", `"release":"1.2.3"`},
		{"go install of a tag", "", info("v1.2.3"), "1.2.3", "1.2.3", `"commit":null,`},
		{"go install of a candidate", "", info("v1.2.3-rc.1"), "1.2.3-rc.1", "1.2.3-rc.1", `"release":"1.2.3-rc.1"`},
		{"go install of a commit", "", info("v1.2.4-0.20261116120000-0123456789ab"), "1.2.4-0.20261116120000-0123456789ab", "1.2.4-0.20261116120000-0123456789ab", `"commit":null,`},
		{"a checkout of a tag", "", info("v1.2.3", clean...), "1.2.3", "1.2.3+0123456789ab", `"modified":false,`},
		{"a changed one", "", info("v1.2.3+dirty", changed...), "1.2.3", "1.2.3+0123456789ab.dirty", `"modified":true,`},
		{"a checkout between tags", "", info("v0.0.0-20261116120000-0123456789ab", clean...), "0.0.0-20261116120000-0123456789ab", "0.0.0-20261116120000-0123456789ab", `"commit":"` + commit},
		{"a changed one", "", info("v0.0.0-20261116120000-0123456789ab+dirty", changed...), "0.0.0-20261116120000-0123456789ab", "0.0.0-20261116120000-0123456789ab+dirty", `"modified":true,`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := built(c.stamped, c.info)
			if b.Release != c.release || b.Version != c.version {
				t.Errorf("release %q, version %q; want %q, %q", b.Release, b.Version, c.release, c.version)
			}
			text, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), c.json) {
				t.Errorf("%s does not have %s", text, c.json)
			}
		})
	}
}
