package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/cli"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/plan/keys"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/spec"
)

// This file is what CONTRIBUTING.md promises: a dataset, a pace, a protocol and a rule of
// balance that no other file knows of, found wherever a user would look for them.
//
// A table does not change while a program runs. What is added here is in processes of their own, which begin with it.

const addedVariable = "INFEROMETER_TEST_ADDED"

func init() {
	if os.Getenv(addedVariable) == "" {
		return
	}
	workload.Add(letters)
	workload.Add(beams)
	pace.Add(pace.NewKind(pace.Kind{Name: "every", Doc: "One after each time.", By: "every"},
		func(_ pace.Spec, o *everyOptions) (pace.Pace, error) { return &every{gap: *o.Every}, nil }))
	completions, err := protocol.FindBackend("openai")
	if err != nil {
		panic(err)
	}
	protocol.Add(&protocol.Backend{Name: "capitals", Doc: "completions in capital letters", Protocol: loud{completions}})
	target.AddBalance(target.Balance{Name: "first", Doc: "to the first", New: func(int) target.Balancer { return first{} }})
}

// added says whether this process has what is added. If not it runs the test in one that has, and the test is over.
func added(t *testing.T) bool {
	t.Helper()
	if os.Getenv(addedVariable) != "" {
		return true
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), addedVariable+"=1")
	if out, err := command.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

var letters = workload.NewKind(workload.Kind{Name: "letters", Doc: "One letter, many times."}, openLetters)

// lettersOptions shape the letters.
type lettersOptions struct {
	Letter string `json:"letter" flag:"letters-letter" default:"a" choices:"a,b" help:"which letter."`
	Words  int    `json:"words" flag:"letters-words" default:"3" min:"1" help:"how many of them."`
	Answer int    `json:"output_len" flag:"letters-output-len" follows:"output-len" default:"2" min:"1" help:"tokens to generate."`
}

type lettersDataset struct {
	lettersOptions
	n, next int
}

func openLetters(o workload.Options, own *lettersOptions) (workload.Dataset, error) {
	return &lettersDataset{lettersOptions: *own, n: o.NumPrompts}, nil
}

func (d *lettersDataset) Next() (*workload.Request, error) {
	if d.next == d.n {
		return nil, io.EOF
	}
	d.next++
	return d.request(d.next - 1), nil
}

func (d *lettersDataset) request(i int) *workload.Request {
	return &workload.Request{Index: i, Prompt: fmt.Sprint(i, strings.Repeat(" "+d.Letter, d.Words)), OutputTokens: d.Answer}
}

func (d *lettersDataset) Len() int     { return d.n }
func (d *lettersDataset) Close() error { return nil }

func (d *lettersDataset) Warmups(n int) (list []*workload.Request, err error) {
	for i := range n {
		list = append(list, d.request(-1-i))
	}
	return list, nil
}

func TestAnAddedDatasetIsEverywhere(t *testing.T) {
	if !added(t) {
		return
	}

	t.Run("flags", func(t *testing.T) {
		_, o, err := serve.ParseLine("--dataset-name letters --letters-words 5 --output-len 7")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&lettersOptions{"a", 5, 7}, o.DatasetOptions); diff != "" {
			t.Error(diff)
		}
		for line, want := range map[string]string{
			"--dataset-name letters --letters-words 0":        "--letters-words must be at least 1, not 0",
			"--dataset-name letters --letters-words five":     `--letters-words needs a whole number, not "five"`,
			"--dataset-name letters --letters-letter c":       `--letters-letter must be one of a, b, not "c"`,
			"--dataset-name letters --dataset-path x":         "--dataset-path can't be used with --dataset-name letters, which is made, not read; name the file's kind with --dataset-name " + serve.Either(serve.FileDatasets()),
			"--dataset-name letters --output-len 0":           "--output-len must be at least 1, not 0",
			"--dataset-name letters --num-prompts 0":          "--num-prompts must be at least 1, not 0",
			"--dataset-name letterz":                          "--dataset-name must be one of " + strings.Join(workload.Names(), ", ") + `, not "letterz"; did you mean letters?`,
			"--dataset-name letters --letters-output-len 1e3": `--letters-output-len needs a whole number, not "1e3"; write 1000`,
		} {
			if _, _, err := serve.ParseLine(line); err == nil || err.Error() != want {
				t.Errorf("%s:\n got %v\nwant %s", line, err, want)
			}
		}
	})

	t.Run("notes", func(t *testing.T) {
		set, o, err := serve.ParseLine("--letters-words 5 --random-output-len 3 --output-len 4")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"--output-len wins over --random-output-len", "--letters-words has no effect with --dataset-name random"}
		if diff := cmp.Diff(want, serve.Notes(o, set)); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("help", func(t *testing.T) {
		var out bytes.Buffer
		if code := cli.Main(context.Background(), []string{"bench", "serve", "--help-all"}, nil, &out, io.Discard); code != 0 {
			t.Fatalf("exit code %d", code)
		}
		contains(t, out.String(), "--letters-words N", "letters: how many of them. (default: 3)", "--letters-letter {a|b}", "|letters|beams}")
	})

	t.Run("docs/reference/flags.md", func(t *testing.T) {
		contains(t, serve.FlagsDoc(t), "| `--letters-words` | supported | letters: how many of them. Default: 3. |",
			"| `letters` | One letter, many times. | no | `--letters-letter`; `--letters-words`; `--letters-output-len` |")
	})

	t.Run("scenario", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "s.yaml")
		write := func(words string) {
			text := "name: x\ntargets: {a: {base_url: \"http://127.0.0.1:1\"}}\nworkload: {dataset: letters, letter: b, output_len: 4}\nmatrix: {words: [" + words + "]}\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, fault bytes.Buffer
		write("4, 6")
		if code := cli.Main(context.Background(), []string{"run", "--dry-run", file}, nil, &out, &fault); code != 0 {
			t.Fatalf("exit code %d: %s", code, &fault)
		}
		contains(t, out.String(), "--dataset-name letters", "--letters-letter b", "--letters-words 4", "--letters-words 6", "--output-len 4")
		write("many")
		if code := cli.Main(context.Background(), []string{"run", "--dry-run", file}, nil, &out, &fault); code != 2 {
			t.Fatalf("exit code %d", code)
		}
		contains(t, fault.String(), `workload.words: needs a whole number, not "many"`)
	})

	t.Run("schema", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "schema", "scenario.schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = keys.Schema(text); err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Defs map[string]struct {
				Properties map[string]json.RawMessage
			} `json:"$defs"`
		}
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		workload := schema.Defs["workload"].Properties
		contains(t, string(workload["words"]), "letters: how many of them.", `"minimum": 1`)
		contains(t, string(workload["dataset"]), `"letters"`)
	})

	t.Run("Spec", func(t *testing.T) {
		s, err := spec.Decode(strings.NewReader(`{"version":1,"dataset":{"name":"letters","words":9}}`))
		if err != nil {
			t.Fatal(err)
		}
		again, err := spec.Decode(bytes.NewReader(s.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&lettersOptions{"a", 9, 2}, again.DatasetOptions); diff != "" {
			t.Error(diff)
		}
		_, err = spec.Decode(strings.NewReader(`{"version":1,"dataset":{"name":"letters","words":0}}`))
		if want := "dataset.words must be at least 1, not 0"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})

	t.Run("run", func(t *testing.T) {
		folder := runAdded(t, "--dataset-name", "letters", "--letters-words", "4", "--letters-letter", "b")
		for i, r := range prompted(t, folder) {
			if want := fmt.Sprint(i, " b b b b"); r != want {
				t.Errorf("request %d: %q, want %q", i, r, want)
			}
		}
	})
}

type beamsOptions struct {
	OutputLen int  `json:"output_len" flag:"beams-output-len" follows:"output-len" default:"256" min:"1" help:"tokens to generate."`
	Beams     bool `json:"beams" flag:"use-beam-search" help:"with beams."`
}

var beams = workload.NewKind(workload.Kind{Name: "beams", Doc: "Beams.", File: true},
	func(workload.Options, *beamsOptions) (workload.Dataset, error) { return nil, errors.New("not today") })

// A dataset that comes takes its own flags, which are refused without it.
func TestAnAddedDatasetIsNoLongerRefused(t *testing.T) {
	if !added(t) {
		if _, _, err := serve.ParseLine("--use-beam-search"); err == nil {
			t.Fatal("--use-beam-search is not refused: take another flag for this test")
		}
		return
	}
	_, o, err := serve.ParseLine("--dataset-name beams --dataset-path x --use-beam-search")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&beamsOptions{256, true}, o.DatasetOptions); diff != "" {
		t.Error(diff)
	}
	contains(t, serve.FlagsDoc(t), "| `--use-beam-search` | supported |", "and beams. |")
}

// everyOptions space requests by a time.
type everyOptions struct {
	Every *time.Duration `json:"every" flag:"every" above:"0" help:"Send a request after each such time."`
}

type every struct{ gap, at time.Duration }

func (e *every) Next() (time.Duration, bool) {
	e.at += e.gap
	return e.at, true
}

func TestAnAddedPaceIsEverywhere(t *testing.T) {
	if !added(t) {
		return
	}
	_, o, err := serve.ParseLine("--every 20ms")
	if err != nil || o.PaceName != "every" || *o.PaceOptions.(*everyOptions).Every != 20*time.Millisecond {
		t.Errorf("%+v, %v", o.Pace, err)
	}
	for line, want := range map[string]string{
		"--every 0":                   "--every must be above 0, not 0",
		"--every 1s --request-rate 5": "--every can't be used together with --request-rate: both say when requests are sent",
	} {
		if _, _, err := serve.ParseLine(line); err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", line, err, want)
		}
	}
	contains(t, serve.FlagsDoc(t), "| `--every` | supported | Send a request after each such time. |", "| `every` | One after each time. | `--every`, which chooses it |")
	if names := keys.Pace().Names(); !slices.Contains(names, "every") {
		t.Errorf("the keys of pace are %s", names)
	}
	s, err := spec.Decode(strings.NewReader(`{"version":1,"pace":{"every":"20ms"}}`))
	if err != nil || s.PaceName != "every" {
		t.Errorf("%v", err)
	}
	if n := len(prompted(t, runAdded(t, "--every", "1ms", "--random-input-len", "5", "--random-output-len", "2"))); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// loud is the protocol of completions that asks in capital letters.
type loud struct{ *protocol.Backend }

func (l loud) AppendBody(dst []byte, c *protocol.Call) ([]byte, error) {
	shouted := *c
	shouted.Prompt = strings.ToUpper(c.Prompt)
	return l.Protocol.AppendBody(dst, &shouted)
}

func TestAnAddedProtocolIsEverywhere(t *testing.T) {
	if !added(t) {
		return
	}
	if _, o, err := serve.ParseLine("--backend capitals"); err != nil || o.Endpoint != "/v1/completions" {
		t.Error(err) // a name of vLLM's that was refused before
	}
	contains(t, serve.FlagsDoc(t), ", capitals is completions in capital letters. ")
	text, err := keys.Schema([]byte(`{"$defs":{"target":{"properties":{}},"workload":{"properties":{}},"eval":{"properties":{}},"pace":{"properties":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(text), `"capitals"`)
	if _, err := spec.Decode(strings.NewReader(`{"version":1,"server":{"backend":"capitals"}}`)); err != nil {
		t.Error(err)
	}
	if n := len(prompted(t, runAdded(t, "--backend", "capitals"))); n != 3 {
		t.Errorf("%d requests", n)
	}
}

// first sends everything to the first server.
type first struct{}

func (first) Pick(uint64) int { return 0 }
func (first) Done(int)        {}

func TestAnAddedRuleOfBalanceIsEverywhere(t *testing.T) {
	if !added(t) {
		return
	}
	if _, o, err := serve.ParseLine("--targets http://a,http://b --balance first"); err != nil || o.Balance != "first" {
		t.Error(err)
	}
	if _, err := spec.Decode(strings.NewReader(`{"version":1,"server":{"urls":["http://a","http://b"],"balance":"first"}}`)); err != nil {
		t.Error(err)
	}
	contains(t, serve.FlagsDoc(t), "| `first` | to the first |")
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

// runAdded sends three requests to a simulator and returns the run's folder.
func runAdded(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	server, err := sim.New(sim.DefaultConfig(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	defer func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("sim: %v", err)
		}
		server.Close()
	}()
	folder := filepath.Join(t.TempDir(), "run")
	args = append([]string{
		"bench", "serve", "--base-url", "http://" + l.Addr().String(), "--num-prompts", "3", "--max-concurrency", "1",
		"--skip-tokenizer-init", "--journal-texts", "--progress", "none", "--run-dir", folder,
	}, args...)
	var out, fault bytes.Buffer
	if code := cli.Main(context.Background(), args, nil, &out, &fault); code != 0 {
		t.Fatalf("exit code %d: %s", code, &fault)
	}
	contains(t, out.String(), "Successful requests:                     3")
	return folder
}

// prompted are the prompts in a run's journal, in their order.
func prompted(t *testing.T, folder string) (prompts []string) {
	t.Helper()
	j, err := journal.Open(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return prompts
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Prompt != nil {
			prompts = append(prompts, *r.Prompt)
		}
	}
}
