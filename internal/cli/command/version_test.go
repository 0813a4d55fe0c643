package command

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuilt(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	settings := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	for _, c := range []struct {
		name, version, json string
		info                *debug.BuildInfo
	}{
		{"nothing is known", Release, `"commit":null,"commit_time":null,"modified":null,`, nil},
		{"no version control", Release, `"commit":null,"commit_time":null,"modified":null,`, settings("GOOS", "linux")},
		{
			"a clean checkout", Release + "+0123456789ab", `"commit":"` + commit + `","commit_time":"2026-11-16T12:00:00Z","modified":false,`,
			settings("vcs.revision", commit, "vcs.time", "2026-11-16T12:00:00Z", "vcs.modified", "false"),
		},
		{
			"a changed one", Release + "+0123456789ab.dirty", `"modified":true,`,
			settings("vcs.revision", commit, "vcs.modified", "true"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := built(c.info)
			if b.Version != c.version {
				t.Errorf("version %q, want %q", b.Version, c.version)
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
