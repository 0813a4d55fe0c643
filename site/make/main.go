// Make writes the source folder of the site, which mdBook reads; scripts/site.sh calls it.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/inferometer/inferometer/site"
)

func main() {
	root := flag.String("root", ".", "the repository")
	out := flag.String("out", "", "the folder to fill")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "site/make: give the folder to fill with -out")
		os.Exit(2)
	}
	if err := site.Stage(*root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site/make:", err)
		os.Exit(1)
	}
}
