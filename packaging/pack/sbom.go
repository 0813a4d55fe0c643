package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// A bom is a bill of materials in the form of CycloneDX 1.6, as far as a Go binary
// knows it: https://cyclonedx.org/docs/1.6/json/.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp,omitempty"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses,omitempty"`
	Purl       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// A licence is named as SPDX names it.
type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func sbomCommand(set *flag.FlagSet, args []string) ([]byte, error) {
	binary, repo := binaryFlags(set)
	version := set.String("version", "", "the release's version")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if *version == "" {
		return nil, errors.New("say -version")
	}
	works, info, err := worksOf(*binary, *repo)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(*binary)
	if err != nil {
		return nil, err
	}
	return sbom(filepath.Base(*binary), *version, sha256.Sum256(content), info, works)
}

// sbom lists the works that a binary was made of, with their licences. What calls what inside
// it is not in the build information, so the binary depends on all of them.
func sbom(name, version string, sum [sha256.Size]byte, info *debug.BuildInfo, works []work) ([]byte, error) {
	components, err := libraries(works)
	if err != nil {
		return nil, err
	}
	main := component{
		Type: "application", Ref: "inferometer", Name: name, Version: version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Purl:   purl(info.Main.Path, version), Licences: licences([]string{"Apache-2.0"}),
	}
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial: serial(sum), Components: components,
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.time":
			b.Metadata.Timestamp = s.Value
		case "vcs.revision", "vcs.modified", "GOOS", "GOARCH", "CGO_ENABLED", "-trimpath":
			main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	b.Metadata.Component = main
	all := dependency{Ref: main.Ref}
	for _, c := range b.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{all}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

func libraries(works []work) ([]component, error) {
	var found []component
	for _, w := range works {
		texts, err := licencesIn(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.title(), err)
		}
		ids, err := spdx(texts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.title(), err)
		}
		c := component{Type: "library", Ref: w.purl, Name: w.name, Version: w.version, Purl: w.purl, Licences: licences(ids)}
		if w.sum != "" {
			c.Properties = []property{{"go:sum", w.sum}}
		}
		found = append(found, c)
	}
	return found, nil
}

func licences(ids []string) []licence {
	list := make([]licence, len(ids))
	for i, id := range ids {
		list[i].License.ID = id
	}
	return list
}

// linked are the modules of a binary in the order of their paths, replacements in
// place of what they replace.
func linked(info *debug.BuildInfo) []*debug.Module {
	var found []*debug.Module
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		found = append(found, m)
	}
	slices.SortFunc(found, func(a, b *debug.Module) int { return cmp.Compare(a.Path, b.Path) })
	return found
}

// purl is a package URL. Versions of Go modules have a plus sign at most that needs escaping.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// serial makes a UUID of the binary's hash, so that the same binary has the same one.
func serial(sum [sha256.Size]byte) string {
	u := sum
	u[6], u[8] = u[6]&0x0f|0x80, u[8]&0x3f|0x80 // version 8: the maker's own way
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[0:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
