package sandbox

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain is our program where a sandbox starts it again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		if err := Main(os.Args[2:]); err != nil {
			os.Exit(2)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
