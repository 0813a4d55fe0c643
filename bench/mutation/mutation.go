package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// mutation is one way to break the code.
type mutation struct {
	File   string   `json:"file"` // from the repository's folder
	Old    string   `json:"old"`  // as it stands there, once
	New    string   `json:"new"`
	Breaks string   `json:"breaks"`          // what is wrong then
	Tests  []string `json:"tests,omitempty"` // packages that must notice; none: the file's own
	Race   bool     `json:"race,omitempty"`  // only the race detector sees it
	// Accepted is why it may survive; empty: it may not.
	Accepted string `json:"accepted,omitempty"`
}

// table is all of them, by package.
func table() []mutation {
	return slices.Concat(ofLoad, ofWire, ofMeasure, ofVerdict, ofCompare, ofJournal, ofMerge, ofSpec)
}

// packages are those whose tests must notice.
func (m *mutation) packages() []string {
	if len(m.Tests) > 0 {
		return m.Tests
	}
	return []string{"./" + filepath.ToSlash(filepath.Dir(m.File))}
}

// apply gives the file as it is with the mutation.
func (m *mutation) apply(dir string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(dir, m.File))
	if err != nil {
		return nil, err
	}
	switch n := bytes.Count(b, []byte(m.Old)); {
	case n != 1:
		return nil, fmt.Errorf("%s (%s): its text occurs %d times and not once:\n%s", m.File, m.Breaks, n, m.Old)
	case m.Old == m.New:
		return nil, fmt.Errorf("%s (%s): it changes nothing", m.File, m.Breaks)
	}
	return bytes.Replace(b, []byte(m.Old), []byte(m.New), 1), nil
}

// overlay writes the mutated file and the list that go build takes, into a scratch folder.
func (m *mutation) overlay(dir, scratch string) (list string, err error) {
	b, err := m.apply(dir)
	if err != nil {
		return "", err
	}
	mutated := filepath.Join(scratch, filepath.Base(m.File))
	if err := os.WriteFile(mutated, b, 0o644); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(dir, m.File): mutated}})
	if err != nil {
		return "", err
	}
	list = filepath.Join(scratch, "overlay.json")
	return list, os.WriteFile(list, text, 0o644)
}
