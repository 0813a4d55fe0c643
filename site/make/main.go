// Make writes the source folder of the site, which mdBook reads, and makes the index of words of what mdBook built
// smaller; scripts/site.sh calls it.
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
	book := flag.String("shrink", "", "the built site whose index of words is made smaller")
	flag.Parse()
	if (*out == "") == (*book == "") {
		fmt.Fprintln(os.Stderr, "site/make: give the folder to fill with -out, or the built site with -shrink")
		os.Exit(2)
	}
	err := error(nil)
	if *out != "" {
		err = site.Stage(*root, *out)
	} else {
		err = site.ShrinkSearch(*book)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site/make:", err)
		os.Exit(1)
	}
}
