//go:build unix

package command

import "os"

// escapes: every terminal does, but for those that TERM says do not.
func escapes(*os.File) bool { return os.Getenv("TERM") != "dumb" }
