package main

import (
	"fmt"
	"os"
	"strings"
)

// marks are the lines between which a judge's table stands in a page.
func marks(judge string) (begin, end string) {
	return "<!-- judgement " + judge + " -->", "<!-- /judgement " + judge + " -->"
}

// rewrite puts a judge's table into a page, in place of the one that is there.
func rewrite(path, judge string, o *options, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	how := "few trials (without -full)"
	if o.full {
		how = "all trials (-full)"
	}
	made, err := replaced(string(page), judge, fmt.Sprintf("%s\nWith %s and -seed %d.\n", text, how, o.seed))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(made), 0o644)
}

// replaced is a page with another text between a judge's marks.
func replaced(page, judge, text string) (string, error) {
	begin, end := marks(judge)
	before, rest, begins := strings.Cut(page, begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", fmt.Errorf("it lacks the lines %s and %s", begin, end)
	}
	return before + begin + "\n\n" + text + "\n" + end + after, nil
}
