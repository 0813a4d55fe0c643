package workload

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lora"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// modelsOf are the models that warm-ups and requests ask for, as vLLM's client would
// send them: its warm-ups ask for the model itself.
func modelsOf(t *testing.T, d Dataset, warmups int) (models []string) {
	t.Helper()
	warm, err := d.Warmups(warmups)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range warm {
		models = append(models, map[bool]string{true: "base"}[r.Model == ""])
	}
	for {
		r, err := d.Next()
		if errors.Is(err, io.EOF) {
			return models
		}
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, r.Model)
	}
}

// The same seed asks for the same adapters as the real client of vLLM 0.32, whatever
// the dataset has drawn before: testdata/make_adapters.py.
func TestAdaptersAreThoseOfVLLM(t *testing.T) {
	raw, err := os.ReadFile("testdata/adapters.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		File  string
		Cases []struct{ Args, Models string }
	}
	if err := json.Unmarshal(raw, &golden); err != nil || len(golden.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(golden.Cases), err)
	}
	for _, c := range golden.Cases {
		t.Run(c.Args, func(t *testing.T) {
			args := strings.Fields(c.Args)
			o := Defaults(args[slices.Index(args, "--dataset-name")+1])
			o.SkipChatTemplate = true
			warmups := 0
			for i := 0; i < len(args); i++ {
				flag, value := strings.TrimPrefix(args[i], "--"), ""
				if !slices.Contains([]string{"no-oversample", "disable-shuffle"}, flag) {
					i++
					value = args[i]
				}
				switch flag {
				case "dataset-name":
				case "dataset-path":
					o.Path = map[string]string{"CUSTOM": writeFile(t, "prompts.jsonl", golden.File)}[value]
					if value == "SHAREGPT" {
						o.Path = testfiles.Path(t, "sharegpt", "sharegpt_mixed.json")
					}
				case "lora-modules":
					o.LoRAModules, i = args[i:], len(args)
				default:
					setFlag(t, &o, &warmups, flag, value)
				}
			}
			if o.Dataset != "custom" {
				o.Tokenizer = testTokenizer(t, "qwen2_5")
			}
			d, err := Open(o)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if got := strings.Join(modelsOf(t, d, warmups), " "); got != c.Models {
				t.Errorf("\n got %s\nwant %s", got, c.Models)
			}
		})
	}
}

func setFlag(t *testing.T, o *Options, warmups *int, flag, value string) {
	t.Helper()
	number, _ := option.ParseInt(value)
	switch flag {
	case "num-prompts":
		o.NumPrompts = number
	case "seed":
		o.Seed = uint64(number)
	case "num-warmups":
		*warmups = number
	default:
		if value == "" {
			value = "true"
		}
		for _, of := range []any{&o.Shared, o.Own} {
			for _, f := range option.Fields(of) {
				if f.Flag == flag {
					if err := f.SetText(of, value); err != nil {
						t.Fatal(err)
					}
					return
				}
			}
		}
		t.Fatalf("flag %s is not known", flag)
	}
}

// turns gives the turns of conversations in an order of its own.
type turns struct {
	conversations []int
	next          int
}

func (c *turns) Next() (*Request, error) {
	if c.next == len(c.conversations) {
		return nil, io.EOF
	}
	c.next++
	return &Request{Index: c.next - 1, Conversation: c.conversations[c.next-1]}, nil
}
func (c *turns) Len() int                        { return len(c.conversations) }
func (c *turns) Warmups(int) ([]*Request, error) { return nil, nil }
func (c *turns) Close() error                    { return nil }

// A conversation keeps its adapter, and which one it has does not depend on the order of turns.
func TestAConversationKeepsItsAdapter(t *testing.T) {
	for assignment, want := range map[string]string{"round-robin": "a b a c b b a a", "random": "b b b a b b b b"} {
		o := Options{Shared: Shared{AdapterOptions: lora.AdapterOptions{LoRAModules: []string{"a", "b", "c"}, LoRAAssignment: assignment}}}
		for _, order := range [][]int{{1, 2, 1, 3, 2, 2, 1, 4}} {
			d := withAdapters(&turns{conversations: order}, &o)
			if got := strings.Join(modelsOf(t, d, 0), " "); got != want {
				t.Errorf("%s: %s, want %s", assignment, got, want)
			}
		}
		forward := modelsOf(t, withAdapters(&turns{conversations: []int{1, 2, 3, 4, 5, 6}}, &o), 0)
		backward := modelsOf(t, withAdapters(&turns{conversations: []int{6, 5, 4, 3, 2, 1}}, &o), 0)
		slices.Reverse(backward)
		if !slices.Equal(forward, backward) {
			t.Errorf("%s: %v, and in the other order %v", assignment, forward, backward)
		}
	}
}

// Over many requests each adapter has the share that Zipf's law gives it.
func TestZipfAdapters(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for _, exponent := range []float64{0, 1, 2} {
		const n = 200_000
		o := Options{Shared: Shared{AdapterOptions: lora.AdapterOptions{LoRAModules: names, LoRAAssignment: "zipf", LoRAZipfExponent: &exponent}}}
		pick := lora.Pick(&o.AdapterOptions, pythonState(&turns{}, 3))
		counts := make([]int, len(names))
		for range n {
			counts[pick()]++
		}
		all := lora.ZipfSums(len(names), exponent)[len(names)-1]
		for i, got := range counts {
			share := math.Pow(float64(i+1), -exponent) / all
			if sigma := math.Sqrt(share * (1 - share) / n); math.Abs(float64(got)/n-share) > 5*sigma {
				t.Errorf("exponent %g: adapter %d has %.4f, want %.4f", exponent, i, float64(got)/n, share)
			}
		}
	}
}

func TestAdapterOptions(t *testing.T) {
	one := 1.0
	for _, tt := range []struct {
		o    lora.AdapterOptions
		want string
	}{
		{lora.AdapterOptions{}, ""},
		{lora.AdapterOptions{LoRAAssignment: "round-robin"}, ""}, // vLLM takes it, and it changes nothing
		{lora.AdapterOptions{LoRAAssignment: "zipf"}, "lora_assignment zipf needs lora_modules"},
		{lora.AdapterOptions{LoRAZipfExponent: &one}, "lora_zipf_exponent needs lora_modules"},
		{lora.AdapterOptions{LoRAModules: []string{"a"}, LoRAZipfExponent: &one}, "lora_zipf_exponent needs lora_assignment zipf"},
	} {
		got := ""
		var e *option.Error
		if errors.As(tt.o.CheckTogether(), &e) {
			name := func(key string) string { return key }
			got = e.Key + " " + e.Text(name)
		}
		if got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.o, got, tt.want)
		}
	}
}

func TestAdapterNames(t *testing.T) {
	for text, want := range map[string]string{
		"a": "[a]", " a  b ": "[a b]", `["a","b c"]`: "[a b c]",
		"": "needs at least one name", "[]": "needs at least one name", `["a"`: "needs names, or a JSON list of them",
		`["a",""]`: "needs names of 1 to 512 bytes", "a\x1b[2J": "needs names of 1 to 512 bytes", strings.Repeat("x", 513): "needs names of 1 to 512 bytes",
	} {
		var n lora.AdapterNames
		got := ""
		if err := n.UnmarshalText([]byte(text)); err != nil {
			got = err.Error()
		} else {
			got = "[" + strings.Join(n, " ") + "]"
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzAdapterNames: what is read is written back as it was.
func FuzzAdapterNames(f *testing.F) {
	f.Add("a b c")
	f.Add(`["a","b c"]`)
	f.Fuzz(func(t *testing.T, text string) {
		var n, again lora.AdapterNames
		if n.UnmarshalText([]byte(text)) != nil {
			return
		}
		b, err := n.MarshalText()
		if err == nil {
			err = again.UnmarshalText(b)
		}
		if err != nil || !slices.Equal(n, again) {
			t.Errorf("%q: %q became %q, %v", text, n, again, err)
		}
	})
}
