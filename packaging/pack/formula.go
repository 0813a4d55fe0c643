package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"text/template"
)

// releases is where the archives of a version are found.
const releases = "https://github.com/inferometer/inferometer/releases/download"

// formulaText is a formula that installs what a release has built. Its class and its
// file have the name of the program, as Homebrew wants it.
var formulaText = template.Must(template.New("formula").Parse(`# Written by packaging/pack from the release's checksums; don't edit it.
class Inferometer < Formula
  desc "Measures LLM inference servers, and proves that the measurement can be trusted"
  homepage "https://github.com/inferometer/inferometer"
  version "{{.Version}}"
  license "Apache-2.0"
{{range .Systems}}
  on_{{.Brew}} do
{{- range .Archives}}
    on_{{.Brew}} do
      url "{{.URL}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
  end
{{end}}
  def install
    bin.install "inferometer"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/inferometer.bash" => "inferometer"
    zsh_completion.install "completions/_inferometer"
    fish_completion.install "completions/inferometer.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/inferometer version --json")
  end
end
`))

type brewSystem struct {
	Brew     string // Homebrew's word for it
	Archives []brewArchive
}

type brewArchive struct{ Brew, URL, Sum string }

func formulaCommand(set *flag.FlagSet, args []string) ([]byte, error) {
	sums := set.String("checksums", "", "the release's file of checksums")
	version := set.String("version", "", "the release's version, without a v")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if *sums == "" || *version == "" {
		return nil, errors.New("say -checksums and -version")
	}
	text, err := os.ReadFile(*sums)
	if err != nil {
		return nil, err
	}
	return formula(*version, text)
}

// plainVersion is what a version may be: it stands in addresses and in Ruby.
var plainVersion = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*(-[0-9A-Za-z.]+)?$`)

var checksumLine = regexp.MustCompile(`^([0-9a-f]{64})  (\S+)$`)

func formula(version string, checksums []byte) ([]byte, error) {
	if !plainVersion.MatchString(version) {
		return nil, fmt.Errorf("%q is no version such as 1.2.3", version)
	}
	sums := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(checksums)); lines.Scan(); {
		if m := checksumLine.FindStringSubmatch(lines.Text()); m != nil {
			sums[m[2]] = m[1]
		}
	}
	var systems []brewSystem
	for _, s := range [][2]string{{"macos", "darwin"}, {"linux", "linux"}} {
		system := brewSystem{Brew: s[0]}
		for _, arch := range [][2]string{{"arm", "arm64"}, {"intel", "amd64"}} {
			name := fmt.Sprintf("inferometer_%s_%s_%s.tar.gz", version, s[1], arch[1])
			if sums[name] == "" {
				return nil, fmt.Errorf("the checksums have no %s", name)
			}
			system.Archives = append(system.Archives, brewArchive{arch[0], releases + "/v" + version + "/" + name, sums[name]})
		}
		systems = append(systems, system)
	}
	var b bytes.Buffer
	err := formulaText.Execute(&b, map[string]any{"Version": version, "Systems": systems})
	return b.Bytes(), err
}
