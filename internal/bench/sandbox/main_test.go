package sandbox

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is our program where a sandbox starts it again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		os.Exit(Main(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}
