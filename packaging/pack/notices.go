package main

import (
	"bytes"
	"flag"
	"fmt"
	"strings"
)

// moreWorks are folders whose licences go into the notices too: what an image has beside the binary.
type moreWorks []work

func (m *moreWorks) String() string { return "" }

func (m *moreWorks) Set(value string) error {
	name, folder, ok := strings.Cut(value, "=")
	if !ok {
		return fmt.Errorf("say it as NAME=FOLDER")
	}
	*m = append(*m, work{name: name, folder: folder, flat: true})
	return nil
}

func noticesCommand(set *flag.FlagSet, args []string) ([]byte, error) {
	binary, repo := binaryFlags(set)
	var more moreWorks
	set.Var(&more, "and", "NAME=FOLDER of a work that goes with the binary")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	works, _, err := worksOf(*binary, *repo)
	if err != nil {
		return nil, err
	}
	return notices(append(works, more...))
}

// title is how a work is called in the notices.
func (w work) title() string {
	if w.name == "std" {
		return "Go and its standard library, " + w.version
	}
	return strings.TrimSpace(w.name + " " + w.version)
}

// notices is one text of all licences. A work without one is an error: then somebody must look.
func notices(works []work) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("Inferometer contains works of others. Their licences and notices follow, each under the name of its work.\n")
	for _, w := range works {
		texts, err := licencesIn(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.title(), err)
		}
		for _, t := range texts {
			fmt.Fprintf(&b, "\n%s\n%s (%s)\n%s\n\n", strings.Repeat("=", 80), w.title(), t.name, strings.Repeat("=", 80))
			b.WriteString(strings.TrimSpace(t.content) + "\n")
		}
	}
	return b.Bytes(), nil
}
