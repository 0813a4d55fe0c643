package cli

import (
	"context"
	"fmt"
	"runtime"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
)

func version(_ context.Context, s command.Streams, args []string) error {
	set := argv.New("inferometer version", "Print the version.")
	set.Example("The version, the commit and the platform", "inferometer version")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "inferometer %s (%s, %s/%s)\n", command.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
