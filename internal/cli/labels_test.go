package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/shell"
)

var (
	headingLine = regexp.MustCompile(`^[-=]{2,} ?([^-=].*?[^-= ]) ?[-=]{2,}$`)
	summaryLine = regexp.MustCompile(`^([A-Z][A-Za-z -]*?) {2,}`)
	labelLine   = regexp.MustCompile(`^ {0,4}([A-Za-z][^:]*):( |$)`)
	cells       = regexp.MustCompile(`\s{2,}`)
	figure      = regexp.MustCompile(`^[-+±]?[\d.,]+( ?%)?$|^n/a$|^$`)
)

// notLabels are what looks like a label and is a word of the run: names, messages and sentences.
// Clauses of an SLO are what the user typed; filters and categories are the task's.
var notLabels = regexp.MustCompile(`^(http|\d+\.\d+\.\d+\.\d+:\d+$|the first|took them|.*; the first|invalid, |suspect, |inferometer |.*[<>]=?\d|TTFT p99 leaves these out|is not known$|custom-extract$|last-letter$|kind \d one$)`)

// Every word that a result prints has a meaning in help: the lines, headings and columns of all
// results that test/outputs keeps.
func TestHelpKnowsEveryLabel(t *testing.T) {
	files, err := filepath.Glob("../../test/outputs/testdata/golden/report-*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		if strings.Contains(string(b), "= Serving Benchmark Result =") {
			labels = labelsOf(string(b))
		} else if strings.Contains(filepath.Base(file), "markdown") {
			labels = columnsOf(string(b))
		} // else a page, a table for programs, a refusal
		for _, label := range labels {
			seen[label] = filepath.Base(file)
		}
	}
	if len(seen) < 60 {
		t.Errorf("only %d labels were found", len(seen))
	}
	for label, file := range seen {
		if len(shell.Find(nil, label)) == 0 {
			t.Errorf("inferometer help does not know %q, of %s", label, file)
		}
	}
}

// labelsOf are the headings, the labels of the summary, the labels before a colon, and the columns
// and rows of tables.
func labelsOf(text string) (labels []string) {
	table, summary := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if m := headingLine.FindStringSubmatch(line); m != nil {
			labels, table, summary = append(labels, m[1]), false, m[1] == "Inferometer"
			continue
		}
		if m := summaryLine.FindStringSubmatch(line); summary && m != nil {
			labels = append(labels, m[1])
			continue
		}
		words := cells.Split(strings.TrimSpace(line), -1)
		isTable := len(words) > 2 && !strings.HasPrefix(line, " ")
		switch m := labelLine.FindStringSubmatch(line); {
		case isTable && !table: // its head
			labels = append(labels, words...)
		case isTable:
			labels = append(labels, words[0])
		case m != nil:
			labels = append(labels, m[1])
		}
		table = isTable
	}
	return slices.DeleteFunc(labels, func(label string) bool { return figure.MatchString(label) || notLabels.MatchString(label) })
}

// columnsOf are the columns of Markdown tables.
func columnsOf(text string) (columns []string) {
	before := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "| --") || strings.HasPrefix(line, "|:-") {
			for cell := range strings.SplitSeq(strings.Trim(before, "|\n "), "|") {
				columns = append(columns, strings.TrimSpace(cell))
			}
		}
		before = line
	}
	return slices.DeleteFunc(columns, func(column string) bool { return column == "" || notLabels.MatchString(column) })
}

// Every key of a result has a meaning too.
func TestHelpKnowsEveryKey(t *testing.T) {
	b, err := os.ReadFile("../../docs/reference/result.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(string(b), -1)
	if len(keys) < 200 {
		t.Errorf("only %d keys were found", len(keys))
	}
	for _, row := range keys {
		for _, name := range regexp.MustCompile("`([a-z_0-9.]+)`").FindAllStringSubmatch(row[1], -1) {
			if len(shell.Find(nil, name[1])) == 0 {
				t.Errorf("inferometer help does not know the key %s", name[1])
			}
		}
	}
}
