// Command pack makes what a release has beside the binaries: an SBOM and the
// third-party notices of a binary, a container image, and the Homebrew formula. The
// same input gives the same bytes: times come from the commit, never from the clock.
//
// Usage: pack sbom|notices|image|formula [flags]; each says its flags with -help.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// words are the commands; each reads its own flags and gives the bytes of one file.
var words = map[string]func(set *flag.FlagSet, args []string) ([]byte, error){
	"sbom":    sbomCommand,
	"notices": noticesCommand,
	"image":   imageCommand,
	"formula": formulaCommand,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || words[args[0]] == nil {
		return fmt.Errorf("say one of sbom, notices, image and formula, then its flags")
	}
	set := flag.NewFlagSet("pack "+args[0], flag.ExitOnError)
	out := set.String("o", "", "the file that is written")
	made, err := words[args[0]](set, args[1:])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if *out == "" {
		return fmt.Errorf("%s: say with -o which file is written", args[0])
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(*out, made, 0o644)
}
