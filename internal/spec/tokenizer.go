package spec

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// isTokenizer reports whether a file by itself is a tokenizer.
func IsTokenizer(name string) bool {
	name = path.Base(filepath.ToSlash(name))
	return name == "tokenizer.json" || name == "tekken.json" || strings.HasPrefix(name, "tokenizer.model") ||
		slices.Contains([]string{".model", ".tiktoken", ".gguf"}, path.Ext(name))
}

// localTokenizer is what the user named, if it is a path of this machine; there says
// that something is at that path, tokenizer or not.
func LocalTokenizer(name string) (found string, there bool) {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return "", false
	}
	if info.Mode()&os.ModeDevice != 0 {
		return "", true // a device has no end
	}
	if !info.IsDir() {
		return name, true
	}
	entries, err := os.ReadDir(name)
	if err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.IsDir() && IsTokenizer(e.Name()) }) {
		return name, true
	}
	return "", true
}
