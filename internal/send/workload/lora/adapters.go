// Package lora says which of the server's adapters a request asks for.
package lora

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
)

// AdapterOptions spread the requests of any dataset over adapters: each asks for one of
// them in place of the model. A conversation keeps the one that it began with.
type AdapterOptions struct {
	LoRAModules      AdapterNames `json:"lora_modules,omitempty" flag:"lora-modules" many:"true" metavar:"NAME" help:"Adapters of the server: each request asks for one of them in place of the model."`
	LoRAAssignment   string       `json:"lora_assignment,omitempty" flag:"lora-assignment" choices:"random,round-robin,zipf" shown:"random" help:"How an adapter is chosen for a request, or for a conversation: zipf asks for the first ones more often."`
	LoRAZipfExponent *float64     `json:"lora_zipf_exponent,omitempty" flag:"lora-zipf-exponent" min:"0" max:"100" shown:"1" help:"How uneven --lora-assignment zipf is: the n-th adapter has the weight 1/n^X."`
}

// The ways to choose an adapter.
const (
	adaptersRandom     = "random"
	adaptersRoundRobin = "round-robin"
	adaptersZipf       = "zipf"
)

// What can be an adapter's name. A list of thousands is possible: servers load them as
// they are asked for.
const (
	mostAdapters    = 100_000
	mostAdapterName = 512
)

// IsKey says that an option of Shared is one of AdapterOptions.
func IsKey(key string) bool {
	_, ok := option.Find(&AdapterOptions{}, key)
	return ok
}

// CheckTogether holds the options against each other.
func (o *AdapterOptions) CheckTogether() error {
	switch {
	case len(o.LoRAModules) == 0 && o.LoRAZipfExponent != nil:
		return option.Errorf("lora_zipf_exponent", "needs %s", option.Ref("lora_modules"))
	case len(o.LoRAModules) == 0 && o.LoRAAssignment == adaptersZipf:
		return option.Errorf("lora_assignment", "%s needs %s", o.LoRAAssignment, option.Ref("lora_modules"))
	case o.LoRAZipfExponent != nil && o.LoRAAssignment != adaptersZipf:
		return option.Errorf("lora_zipf_exponent", "needs %s %s", option.Ref("lora_assignment"), adaptersZipf)
	}
	return nil
}

// AdapterNames are the names of adapters as the server knows them.
type AdapterNames []string

// UnmarshalText reads a JSON list, or names between spaces.
func (n *AdapterNames) UnmarshalText(text []byte) error {
	names := strings.Fields(string(text))
	if trimmed := bytes.TrimSpace(text); bytes.HasPrefix(trimmed, []byte("[")) {
		names = nil
		if err := json.Unmarshal(trimmed, &names); err != nil {
			return fmt.Errorf("needs names, or a JSON list of them, not %q", outside.Word(string(text)))
		}
	}
	switch {
	case len(names) == 0:
		return errors.New("needs at least one name")
	case len(names) > mostAdapters:
		return fmt.Errorf("takes at most %d names, not %d", mostAdapters, len(names))
	}
	for _, name := range names {
		if name == "" || len(name) > mostAdapterName || outside.Text(name, mostAdapterName) != name {
			return fmt.Errorf("needs names of 1 to %d bytes without control characters, not %q", mostAdapterName, outside.Word(name))
		}
	}
	*n = names
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (n AdapterNames) MarshalText() ([]byte, error) { return json.Marshal([]string(n)) }

// JSONSchema implements [option.SchemaOf].
func (*AdapterNames) JSONSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"type": "string"}},
		map[string]any{"type": "string"},
	}}
}

// Pick draws as vLLM's client does, which knows the first two: from the random
// numbers of Python as the dataset leaves them.
func Pick(o *AdapterOptions, random *numpy.Python) func() int {
	n := len(o.LoRAModules)
	switch o.LoRAAssignment {
	case adaptersRoundRobin:
		next := -1
		return func() int {
			next = (next + 1) % n
			return next
		}
	case adaptersZipf:
		exponent := 1.0
		if o.LoRAZipfExponent != nil {
			exponent = *o.LoRAZipfExponent
		}
		below := ZipfSums(n, exponent)
		return func() int {
			v := random.Random() * below[n-1]
			return min(sort.Search(n, func(i int) bool { return below[i] > v }), n-1)
		}
	}
	return func() int { return random.Below(n) }
}

// ZipfSums are the sums of the weights 1/k^exponent up to each of n.
func ZipfSums(n int, exponent float64) []float64 {
	sums, sum := make([]float64, n), 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -exponent)
		sums[i] = sum
	}
	return sums
}
