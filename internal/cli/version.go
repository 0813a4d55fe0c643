package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
)

func version(_ context.Context, s command.Streams, args []string) error {
	var asJSON bool
	set := argv.New("inferometer version", "Print the version.")
	set.Bool(&asJSON, "json", "as one JSON object: version, release, commit, commit_time, modified, go, os and arch; null where Go does not know it.")
	set.Example("The version, the commit and the platform", "inferometer version")
	set.Example("The same for programs", "inferometer version --json")
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	b := command.Built()
	if asJSON {
		text, err := json.MarshalIndent(b, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.Out, "%s\n", text)
		return err
	}
	fmt.Fprintf(s.Out, "inferometer %s (%s, %s/%s)\n", b.Version, b.Go, b.OS, b.Arch)
	return nil
}
