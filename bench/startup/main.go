// Command startup measures what it costs to start: the wall time of
// `inferometer version` and `bench serve --help` as a ratio to an empty Go program, and of
// a completion as a ratio to `inferometer version`.
//
//	make bench-startup
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	binary := flag.String("binary", filepath.Join("bin", "inferometer"), "the program to measure")
	runs := flag.Int("runs", 80, "starts of each command in a round")
	rounds := flag.Int("rounds", 3, "interleaved rounds")
	flag.Parse()
	if err := measure(*binary, *runs, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench-startup:", err)
		os.Exit(1)
	}
}

func measure(binary string, runs, rounds int) error {
	dir, err := os.MkdirTemp("", "bench-startup")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, empty := filepath.Join(dir, "main.go"), filepath.Join(dir, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return err
	}
	if out, err := exec.Command("go", "build", "-o", empty, source).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	for range rounds {
		base, err := median(runs, empty)
		if err != nil {
			return err
		}
		version, err := median(runs, binary, "version")
		if err != nil {
			return err
		}
		help, err := median(runs, binary, "bench", "serve", "--help")
		if err != nil {
			return err
		}
		complete, err := median(runs, binary, "__complete", "bash", "bench", "serve", "--backend", "v")
		if err != nil {
			return err
		}
		fmt.Printf("× an empty program: version %.2f, bench serve --help %.2f; a completion %.2f × version\n",
			float64(version)/float64(base), float64(help)/float64(base), float64(complete)/float64(version))
	}
	return nil
}

func median(runs int, name string, args ...string) (time.Duration, error) {
	var times []time.Duration
	for range runs {
		began := time.Now()
		if err := exec.Command(name, args...).Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
