package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile is how files are called whose text must go with a copy.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

type licenceText struct{ name, content string }

// licencesIn finds the licence files of a folder and those below it, which packages
// that were taken over from elsewhere have. At least one must be in the folder itself.
func licencesIn(w work) ([]licenceText, error) {
	folder := w.folder
	if folder == "" {
		return nil, errors.New("its source is not in the module cache: run go mod download")
	}
	var texts []licenceText
	atRoot := false
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (w.flat || d.Name() == "testdata" || d.Name() == "vendor") {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !licenceFile.MatchString(d.Name()) || filepath.Ext(path) == ".go" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		atRoot = atRoot || !strings.Contains(rel, string(filepath.Separator))
		texts = append(texts, licenceText{filepath.ToSlash(rel), strings.ReplaceAll(string(content), "\r\n", "\n")})
		return nil
	})
	if err == nil && !atRoot {
		err = errors.New("has no licence file: find out under which licence it is before it is released")
	}
	return texts, err
}

// marks are words that one licence has and no other, by SPDX's name of it.
var marks = []struct {
	id    string
	words *regexp.Regexp
	not   *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License,? Version 2\.0`), nil},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge, to any person obtaining a copy of this software`), nil},
	{"BSD-3-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms.*(Neither the name|names? of the (author|contributors)|may not be used to endorse)`), nil},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`), regexp.MustCompile(`Neither the name|may not be used to endorse`)},
	{"ISC", regexp.MustCompile(`Permission to use, copy, modify, and(/or)? distribute this software for any purpose`), nil},
	{"MPL-2.0", regexp.MustCompile(`Mozilla Public License,? [Vv]ersion 2\.0`), nil},
	{"Unlicense", regexp.MustCompile(`This is free and unencumbered software released into the public domain`), nil},
	{"CC0-1.0", regexp.MustCompile(`CC0 1\.0 Universal`), nil},
}

// spdx names the licences of the texts. A text may hold several; one that holds none is a notice of
// something else, but a work without any is an error.
func spdx(texts []licenceText) ([]string, error) {
	var ids []string
	for _, t := range texts {
		flowing := strings.Join(strings.Fields(t.content), " ") // however its lines are broken
		for _, m := range marks {
			if m.words.MatchString(flowing) && (m.not == nil || !m.not.MatchString(flowing)) {
				ids = append(ids, m.id)
			}
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("none of its %d licence texts is known to packaging/pack/licences.go", len(texts))
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
