package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
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
	Purl       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
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
	binary := set.String("binary", "", "the binary whose build information is read")
	version := set.String("version", "", "the release's version")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if *binary == "" || *version == "" {
		return nil, errors.New("say -binary and -version")
	}
	info, err := buildinfo.ReadFile(*binary)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(*binary)
	if err != nil {
		return nil, err
	}
	return sbom(filepath.Base(*binary), *version, sha256.Sum256(content), info)
}

// sbom lists the modules that a binary was linked from. What calls what inside it
// is not in the build information, so the binary depends on all of them.
func sbom(name, version string, sum [sha256.Size]byte, info *debug.BuildInfo) ([]byte, error) {
	main := component{
		Type: "application", Ref: "inferometer", Name: name, Version: version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Purl:   purl(info.Main.Path, version),
	}
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Serial: serial(sum), Components: libraries(info),
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

func libraries(info *debug.BuildInfo) []component {
	std := strings.TrimPrefix(info.GoVersion, "go")
	found := []component{{Type: "library", Ref: purl("std", std), Name: "std", Version: std, Purl: purl("std", std)}}
	for _, m := range linked(info) {
		c := component{Type: "library", Ref: purl(m.Path, m.Version), Name: m.Path, Version: m.Version, Purl: purl(m.Path, m.Version)}
		if m.Sum != "" {
			c.Properties = []property{{"go:sum", m.Sum}}
		}
		found = append(found, c)
	}
	return found
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
