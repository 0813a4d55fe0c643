package hfset

import (
	"path"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/table"
)

// Fetch gets a set from the hub, and gives its folder: first its card, then the files
// that the card names for the subset and the split. Where it names none all tables come,
// since which are wanted only their names say.
func Fetch(name string, o *Options, get func(name string, patterns []string) (folder string, err error)) (string, error) {
	set := Find(name)
	if set != nil && set.files != nil {
		return get(name, []string{"*.json"})
	}
	folder, err := get(name, []string{"README.md"})
	if err != nil {
		return "", err
	}
	configs, err := readCard(filepath.Join(folder, "README.md"))
	if err != nil {
		return "", err
	}
	patterns := []string{"README.md"}
	if len(configs) > 0 {
		c, err := chooseConfig(configs, o.Subset)
		if err != nil {
			return "", err
		}
		for split, list := range c.Files {
			if o.Split == "" || split == o.Split || split == keyword(o.Split) {
				for _, pattern := range list {
					patterns = append(patterns, path.Join(c.Folder, pattern))
				}
			}
		}
	}
	if len(patterns) == 1 {
		for _, ending := range table.Formats {
			patterns = append(patterns, "**"+ending, "**"+ending+".gz", "**"+ending+".zst")
		}
	}
	return get(name, patterns)
}
