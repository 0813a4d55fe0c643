package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// State is the user's state folder, by the variables of the environment. On Windows it is where programs keep what is this machine's alone.
func State(variable func(name string) string) (string, error) {
	if state := variable("XDG_STATE_HOME"); state != "" {
		return state, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir() // LOCALAPPDATA
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the state folder: %w", err)
	}
	return filepath.Join(home, ".local", "state"), nil
}

// RunsFolder is where runs are kept that nobody gave a folder: a run in it can be named without it.
func RunsFolder(variable func(name string) string) (string, error) {
	state, err := State(variable)
	if err != nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(state, "inferometer", "runs"))
}
