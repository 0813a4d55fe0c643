package agent

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/spec"
)

// What a leader may make an agent fetch.
const (
	mostFiles     = 100_000
	mostFileBytes = 256 << 30
)

// ours are the variables that a run reads for its own sake. No secret may have their name.
var ours = []string{"XDG_STATE_HOME", "GOMAXPROCS", "INFEROMETER_TEST_NO_STAMPS"}

// offered is an offer that was found harmless.
type offered struct {
	spec    *spec.Spec
	secrets map[string]string
	files   []message.File
}

// check says why an offer is refused. What of it would touch this machine is taken out.
func (a *Agent) check(ask *message.Ask) (*offered, error) {
	if release(ask.Version) != release(a.Version) {
		return nil, fmt.Errorf("the leader is inferometer %s, and this agent %s: use the same version on both", outside.Word(ask.Version), a.Version)
	}
	asked, err := spec.Decode(bytes.NewReader(ask.Spec))
	if err != nil {
		return nil, fmt.Errorf("the Spec is refused: %s", outside.Sentence(err.Error()))
	}
	o := &offered{spec: asked, files: ask.Files}
	if len(ask.Sealed) > 0 {
		if o.secrets, err = a.Secrets.Open(ask.Run, a.ID, ask.Sealed); err != nil {
			return nil, err
		}
	}
	for _, name := range ours {
		if _, taken := o.secrets[name]; taken {
			return nil, fmt.Errorf("a secret can't have the name %s", name)
		}
	}
	for _, check := range []func(*offered) error{checkKind, checkFiles, a.checkVariables, a.checkHosts} {
		if err := check(o); err != nil {
			return nil, err
		}
	}
	o.takePaths()
	return o, nil
}

// release is a version without its commit.
func release(version string) string {
	number, _, _ := strings.Cut(version, "+")
	return number
}

// checkKind refuses what makes no sense as a part, or was not checked as a Spec.
func checkKind(o *offered) error {
	switch {
	case o.spec.Batches != nil:
		return errors.New("batches of one shape are not run by agents")
	case len(o.spec.Faults) > 0:
		return errors.New("faults are refused: an agent only sends, and runs no commands of others")
	case o.spec.AllowCode:
		return errors.New("allow_code is refused: an agent runs no programs that a server answered to somebody else's questions")
	case o.spec.GiveUp != "":
		return errors.New("give_up is not run by agents: one of them knows too little to give up")
	}
	return nil
}

// checkFiles holds what is to be fetched against bounds, and against what the Spec names.
func checkFiles(o *offered) error {
	sum := int64(0)
	var has []string
	for _, f := range o.files {
		if !slices.Contains([]string{string(prepare.DatasetFile), string(prepare.TokenizerFile)}, f.For) {
			return fmt.Errorf("a file for %q is not known here", outside.Word(f.For))
		}
		if name := filepath.FromSlash(f.Name); !filepath.IsLocal(name) || filepath.Clean(name) == "." {
			return fmt.Errorf("a file's name %q is none", outside.Word(f.Name))
		}
		if sum += min(f.Bytes, mostFileBytes+1); sum > mostFileBytes || len(o.files) > mostFiles {
			return fmt.Errorf("the files of the offer are too many or too large: at most %d of %d GiB together", mostFiles, mostFileBytes>>30)
		}
		has = append(has, f.For)
	}
	s := o.spec
	switch {
	case s.Path != "" && !slices.Contains(has, string(prepare.DatasetFile)):
		return errors.New("the Spec names a dataset's path, and no file came with it: an agent reads no others")
	case s.Tokenizer != "" && !s.SkipTokenizerInit && !slices.Contains(has, string(prepare.TokenizerFile)):
		return errors.New("the Spec names a tokenizer, and no file of it came with it: an agent reads no others")
	}
	return nil
}

// checkVariables finds all variables that the Spec names among the secrets that came with
// it: those of this machine are nobody else's business.
func (a *Agent) checkVariables(o *offered) error {
	h := *a.Host()
	h.Lookup = func(name string) (string, bool) { value, ok := o.secrets[name]; return value, ok }
	if _, err := o.spec.Wire(&h.Environment); err != nil {
		return fmt.Errorf("%s; an agent takes variables from the leader's sealed secrets alone", outside.Sentence(err.Error()))
	}
	return nil
}

// checkHosts holds all that the Spec makes an agent connect to against the allow-list.
func (a *Agent) checkHosts(o *offered) error {
	addresses, err := Addresses(o.spec, func(name string) string { return o.secrets[name] })
	if err != nil {
		return err
	}
	for _, address := range addresses {
		if err := a.Allow.Check(address); err != nil {
			return err
		}
	}
	return nil
}

// Addresses are all that a Spec makes whoever runs it connect to; variable gives the value of one
// that it names.
func Addresses(s *spec.Spec, variable func(name string) string) ([]string, error) {
	addresses := slices.Concat(s.URLs, s.MetricsURLs)
	replicas, err := s.GivenReplicas()
	if err != nil {
		return nil, err
	}
	for i := range replicas {
		addresses = append(addresses, replicas[i].URL)
	}
	if s.Proxy != "" && s.Proxy != spec.NoProxy {
		addresses = append(addresses, s.Proxy)
	}
	source := s.Power.Text
	if s.Power.Env != "" {
		source = s.Power.Prefix + variable(s.Power.Env)
	}
	if source != "" {
		p, err := hardware.ParsePower(source)
		if err != nil {
			return nil, errors.New("the source of power is none that is known here")
		}
		if p.Prometheus != nil {
			addresses = append(addresses, p.Prometheus.URL)
		}
	}
	asked := s.Hardware.Text
	if s.Hardware.Env != "" {
		asked = s.Hardware.Prefix + variable(s.Hardware.Env)
	}
	devices, err := hardware.Parse(asked)
	if err != nil {
		return nil, errors.New("the source of hardware is none that is known here")
	}
	return append(addresses, devices.URLs()...), nil
}

// takePaths empties what would write a file of this machine: the leader keeps the run. That
// texts are in the journal stays as it is. Nor does a router name addresses to be asked.
func (o *offered) takePaths() {
	if o.spec.FindsReplicas() { // nobody here has allowed the addresses that a router would name
		o.spec.Replicas = []string{spec.NoReplicas}
	}
	k := &o.spec.Keep
	o.spec.Keep = spec.Keep{
		Command: k.Command, Label: k.Label, Metadata: k.Metadata, KeepRuns: k.KeepRuns, JournalTexts: k.JournalTexts,
		ScrapeEvery: k.ScrapeEvery, ForgetPrompts: k.ForgetPrompts, SaveDetailed: k.SaveDetailed, Hardware: k.Hardware,
	}
}
