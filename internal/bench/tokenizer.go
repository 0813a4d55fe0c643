package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// findTokenizer looks for what the user named: a tokenizer.json at that path, or a
// model in the local cache of Hugging Face's hub.
func (h *Host) findTokenizer(name string) string {
	if name == "" {
		return ""
	}
	if info, err := os.Stat(name); err == nil {
		if filepath.Ext(name) == ".gguf" || info.Mode()&os.ModeDevice != 0 {
			return "" // a model's file is no tokenizer, and a device has no end
		}
		if !info.IsDir() {
			return name
		}
		if _, err := os.Stat(filepath.Join(name, "tokenizer.json")); err == nil {
			return name
		}
		return ""
	}
	return h.cachedTokenizer(name)
}

// repository is the name of a model on the hub: one or two words, no path.
var repository = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`)

// cachedTokenizer looks into the hub's cache, where a server on this machine has
// put it. It is all that is done with a name that a server gave: a server's word is
// never a path.
func (h *Host) cachedTokenizer(name string) string {
	if !repository.MatchString(name) || len(name) > outside.MaxWord {
		return ""
	}
	pattern := filepath.Join(h.hubCache(), "models--"+strings.ReplaceAll(name, "/", "--"), "snapshots", "*", "tokenizer.json")
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		return ""
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return modTime(a).Compare(modTime(b)) })
	return filepath.Dir(newest)
}

func modTime(path string) (t time.Time) {
	if info, err := os.Stat(path); err == nil {
		t = info.ModTime()
	}
	return t
}
