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
	"path/filepath"

	"github.com/inferometer/inferometer/bench/harness"
)

func main() {
	binary := harness.Binary()
	runs := flag.Int("runs", 80, "starts of each command in a round")
	rounds := harness.Rounds(3)
	harness.Main("bench-startup", func() error {
		return harness.Folder(func(dir string) error { return measure(dir, *binary, *runs, *rounds) })
	})
}

func measure(dir, binary string, runs, rounds int) error {
	source, empty := filepath.Join(dir, "main.go"), filepath.Join(dir, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return err
	}
	if _, err := harness.Run("go", "build", "-o", empty, source); err != nil {
		return err
	}
	commands := [][]string{{empty}, {binary, "version"}, {binary, "bench", "serve", "--help"}, {binary, "__complete", "bash", "bench", "serve", "--backend", "v"}}
	for range rounds {
		var wall [4]float64
		for i, command := range commands {
			var times []float64
			for range runs {
				c, err := harness.Run(command[0], command[1:]...)
				if err != nil {
					return err
				}
				times = append(times, c.Wall.Seconds())
			}
			wall[i] = harness.Median(times)
		}
		fmt.Printf("× an empty program: version %.2f, bench serve --help %.2f; a completion %.2f × version\n", wall[1]/wall[0], wall[2]/wall[0], wall[3]/wall[1])
	}
	return nil
}
