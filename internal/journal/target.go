package journal

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/inferometer/inferometer/internal/outside"
)

// Target is one of several servers that a run loads as one. What a server does
// not tell of itself is left out.
type Target struct {
	URL         string `json:"url"`             // without a password
	Model       string `json:"model,omitempty"` // the first that it lists
	Root        string `json:"root,omitempty"`  // what that was loaded from
	MaxModelLen int    `json:"max_model_len,omitempty"`
	OwnedBy     string `json:"owned_by,omitempty"`
}

// Served is a model that a server lists. What it does not tell is left out.
type Served struct {
	Target      int    `json:"target,omitempty"` // which of several servers
	ID          string `json:"id"`
	Root        string `json:"root,omitempty"` // what it was loaded from
	OwnedBy     string `json:"owned_by,omitempty"`
	MaxModelLen int    `json:"max_model_len,omitempty"`
	Params      int64  `json:"params,omitempty" bound:"sum"` // llama.cpp tells its size
	Bytes       int64  `json:"bytes,omitempty" bound:"sum"`
}

// DifferentModels says which of the targets do not serve the same; empty: all do.
func DifferentModels(targets []Target) string {
	for i := range targets {
		if a, b := &targets[0], &targets[i]; !a.sameModel(b) {
			return fmt.Sprintf("the targets serve different models: %s at %s, %s at %s", a.what(), a.URL, b.what(), b.URL)
		}
	}
	return ""
}

// sameModel says whether two targets serve the same, as far as both tell.
func (t *Target) sameModel(o *Target) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(t.Model, o.Model) && same(t.Root, o.Root) &&
		(t.MaxModelLen == 0 || o.MaxModelLen == 0 || t.MaxModelLen == o.MaxModelLen)
}

// what is the model in the words in which two may differ.
func (t *Target) what() string {
	words := t.Model
	if t.Root != "" && t.Root != t.Model {
		words += " (" + t.Root + ")"
	}
	if t.MaxModelLen > 0 {
		words += fmt.Sprintf(" of %d tokens", t.MaxModelLen)
	}
	return words
}

// SameMachine says whether every server is on the client's own machine, by its address. Of several clients nobody knows.
func (r *Run) SameMachine() bool {
	if r.Fleet != nil {
		return false
	}
	urls := []string{r.Options.BaseURL}
	if len(r.Targets) > 0 {
		urls = urls[:0]
		for _, t := range r.Targets {
			urls = append(urls, t.URL)
		}
	}
	return !slices.ContainsFunc(urls, func(address string) bool {
		u, err := url.Parse(address)
		return err != nil || !outside.Loopback(u.Hostname())
	})
}
