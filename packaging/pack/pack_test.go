package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

func TestSBOM(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/program"},
		Deps: []*debug.Module{
			{Path: "example.org/z", Version: "v1.0.0", Sum: "h1:z"},
			{Path: "example.org/a", Version: "v2.0.0+incompatible", Replace: &debug.Module{Path: "example.org/b", Version: "v3.0.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-16T12:00:00Z"}, {Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "secret"}},
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("The\n  Apache License\n  Version 2.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	works := []work{{name: "std", version: "1.26.8", purl: purl("std", "1.26.8"), folder: folder}}
	for _, m := range linked(info) {
		works = append(works, work{name: m.Path, version: m.Version, purl: purl(m.Path, m.Version), sum: m.Sum, folder: folder})
	}
	text, err := sbom("program", "1.2.3", sha256.Sum256([]byte("x")), info, works)
	if err != nil {
		t.Fatal(err)
	}
	var b bom
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range b.Components {
		names = append(names, c.Purl)
		if len(c.Licences) != 1 || c.Licences[0].License.ID != "Apache-2.0" {
			t.Errorf("%s is under %v", c.Name, c.Licences)
		}
	}
	want := "pkg:golang/std@1.26.8 pkg:golang/example.org/b@v3.0.0 pkg:golang/example.org/z@v1.0.0"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("components %s, want %s", got, want)
	}
	if len(b.Dependencies[0].DependsOn) != 3 || b.Metadata.Timestamp != "2026-11-16T12:00:00Z" || bytes.Contains(text, []byte("secret")) {
		t.Errorf("%s", text)
	}
}

func TestNotices(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("good/LICENSE.txt", "may be used\r\n")
	write("good/inner/COPYING", "taken from elsewhere")
	write("good/license.go", "package good")
	write("good/testdata/LICENSE", "not in the binary")
	write("bad/README", "no word about it")
	write("bad/inner/LICENSE", "only a part")
	text, err := notices([]work{{name: "good", version: "v1", folder: filepath.Join(folder, "good")}})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]bool{"good v1 (LICENSE.txt)": true, "may be used\n": true, "taken from elsewhere": true, "package good": false, "not in the binary": false} {
		if strings.Contains(string(text), word) != want {
			t.Errorf("%q: want it %v in\n%s", word, want, text)
		}
	}
	for name, w := range map[string]work{
		"has no licence file": {name: "bad", folder: filepath.Join(folder, "bad")},
		"go mod download":     {name: "absent"},
	} {
		if _, err := notices([]work{w}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", w.name, err)
		}
	}
}

func TestFormula(t *testing.T) {
	var sums strings.Builder
	for i, platform := range []string{"darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"} {
		sums.WriteString(strings.Repeat(string(rune('a'+i)), 64) + "  inferometer_1.2.3_" + platform + ".tar.gz\n")
	}
	text, err := formula("1.2.3", []byte(sums.String()))
	if err != nil {
		t.Fatal(err)
	}
	got := string(text)
	if strings.Count(got, "sha256 ") != 4 || strings.Count(got, " do\n") != strings.Count(got, "  end\n")-1 {
		t.Errorf("%s", got)
	}
	linux := got[strings.Index(got, "on_linux"):]
	if !strings.Contains(linux, "v1.2.3/inferometer_1.2.3_linux_arm64.tar.gz\"\n      sha256 \"cccc") {
		t.Errorf("%s", linux)
	}
	if _, err := formula("1.2.4", []byte(sums.String())); err == nil {
		t.Error("a version without its archives")
	}
	if _, err := formula(`1"; system("x`, nil); err == nil || !strings.Contains(err.Error(), "no version") {
		t.Errorf("a version that is Ruby: %v", err)
	}
}

// Each blob is called by its hash, and the layer's hash is the one that the configuration names.
func TestImage(t *testing.T) {
	at := time.Unix(1_790_000_000, 0).UTC()
	content := imageContent{program: bytes.Repeat([]byte("program"), 1000), certificates: []byte("certificates"), licence: []byte("ours"), notices: []byte("others'")}
	made, err := image("arm64", "1.2.3", at, content.files())
	if err != nil {
		t.Fatal(err)
	}
	again, err := image("arm64", "1.2.3", at, content.files())
	if err != nil || !bytes.Equal(made, again) {
		t.Errorf("a second image differs, %v", err)
	}
	blobs := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(made)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if name, isBlob := strings.CutPrefix(h.Name, "blobs/sha256/"); isBlob && name != "" {
			if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != name {
				t.Errorf("%s has another hash", h.Name)
			}
		}
		blobs[h.Name] = content
	}
	var docker []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(blobs["manifest.json"], &docker); err != nil {
		t.Fatal(err)
	}
	layer := blobs[docker[0].Layers[0]]
	unpacked, err := gzip.NewReader(bytes.NewReader(layer))
	if err != nil {
		t.Fatalf("the layer is not packed: %v", err)
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil || len(plain) < 2*len(layer) {
		t.Errorf("%d bytes are packed into %d, %v", len(plain), len(layer), err)
	}
	if config := blobs[docker[0].Config]; !bytes.Contains(config, []byte(`"diff_ids":["`+digest(plain)+`"]`)) {
		t.Errorf("%s does not name what the layer unpacks to", config)
	}
	for _, name := range []string{"usr/share/doc/inferometer/LICENSE", "usr/share/doc/inferometer/THIRD-PARTY-NOTICES.txt"} {
		if !bytes.Contains(plain, []byte(name)) {
			t.Errorf("the image has no %s", name)
		}
	}
}

func TestLicencesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                       "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person obtaining a copy\nof this software and": "MIT",
		"Redistribution and use in source and binary forms, with … Neither the name of":                      "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with or without":                                 "BSD-2-Clause",
		"Mozilla Public License Version 2.0":                                                                 "MPL-2.0",
	} {
		if got, err := spdx([]licenceText{{"LICENSE", text}}); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q is %q, %v; want %s", text, got, err, want)
		}
	}
	if _, err := spdx([]licenceText{{"LICENSE", "Do what you like."}}); err == nil {
		t.Error("a licence that nobody knows was given a name")
	}
}

// What lies in the repository and is not ours must be known by its version.
func TestEmbeddedWorks(t *testing.T) {
	works, err := embeddedWorks(filepath.Join("..", ".."))
	if err != nil || len(works) != 1 || works[0].title() != "uplot 1.6.32" || works[0].purl != "pkg:npm/uplot@1.6.32" {
		t.Errorf("%+v, %v", works, err)
	}
	repo := t.TempDir()
	for _, folder := range []string{"internal/foreign", "tokenizer"} {
		if err := os.MkdirAll(filepath.Join(repo, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, "internal/foreign/LICENSE"), []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if works, err := embeddedWorks(repo); err == nil || !strings.Contains(err.Error(), "whose work") {
		t.Errorf("a folder of others that nobody named: %+v, %v", works, err)
	}
}
