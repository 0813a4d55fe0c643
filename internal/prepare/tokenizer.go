package prepare

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/hub"
	"github.com/inferometer/inferometer/internal/spec"
	"github.com/inferometer/inferometer/internal/usage"
)

// tokenizerFiles are the files of a model that a tokenizer is made of. Nothing else of
// it is fetched.
var tokenizerFiles = hub.Patterns{
	"tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "special_tokens_map.json", "config.json", "tekken.json", "*.model", "tokenizer.model.v*", "*.tiktoken",
}

// tokenizerLimits are far above the largest tokenizer that is known.
var tokenizerLimits = hub.Limits{File: 256 << 20, Total: 512 << 20}

// isRepo reports whether a name that is no path here may be one of the hub's. One that
// ends like a file is a path that was mistyped.
func isRepo(name string) bool {
	return hub.IsRepo(name) && !slices.Contains([]string{".json", ".model", ".tiktoken", ".gguf", ".jinja", ".txt"}, path.Ext(name))
}

// cachedTokenizer looks into the hub's cache, where a server on this machine has
// put it. It is all that is done with a name that a server gave: a server's word is
// never a path, and nothing is fetched for it.
func (h *Host) cachedTokenizer(name, revision string) (folder, commit string) {
	if have := h.Hub().Cached(hub.Model, name, revision, tokenizerFiles); have != nil && slices.ContainsFunc(have.Files, spec.IsTokenizer) {
		return have.Dir, have.Commit
	}
	return "", ""
}

// fetchTokenizer gives the tokenizer of a model by its name: from the hub's cache, else
// from the hub itself. Where the cache has the two files that matter the hub is not
// asked for the rest. tries bounds the requests of one kind; 0: as usual.
func (h *Host) fetchTokenizer(ctx context.Context, name, revision string, tries int) (folder, commit string, err error) {
	c := h.Hub()
	c.Limits = tokenizerLimits
	c.Limits.Tries = tries
	if have := c.Cached(hub.Model, name, revision, tokenizerFiles); have != nil && slices.Contains(have.Files, "tokenizer.json") && slices.Contains(have.Files, "tokenizer_config.json") {
		return have.Dir, have.Commit, nil
	}
	got, err := c.Snapshot(ctx, hub.Model, name, revision, tokenizerFiles)
	if err != nil {
		return "", "", err
	}
	if got.Stale != nil {
		h.Note("note: the tokenizer of %s is used from the cache, and may be incomplete: %v", name, got.Stale)
	}
	if got.Fetched > 0 {
		h.Note("fetched the tokenizer of %s from the hub: %d files, %d bytes, commit %s", name, got.Fetched, got.Bytes, got.Commit)
	}
	if !slices.ContainsFunc(got.Files, spec.IsTokenizer) {
		return "", "", &hub.Error{Kind: hub.ErrNotFound, Text: name + " has no tokenizer: neither tokenizer.json nor tekken.json, *.model or *.tiktoken"}
	}
	return got.Dir, got.Commit, nil
}

// findTokenizer looks for the run's tokenizer: at the path or by the name that the user
// gave, else by the model's. Empty: there is none, and that is no error.
func (h *Host) findTokenizer(ctx context.Context, s *spec.Spec, model string) (name, place, commit string, err error) {
	if h.Place != nil {
		name = s.Tokenizer
		if name == "" {
			name = model
		}
		place, err = h.Place(TokenizerFile, name)
		return name, place, s.TokenizerRevision, err
	}
	if s.Tokenizer != "" {
		place, commit, err = h.NamedTokenizer(ctx, s.Tokenizer, s.TokenizerRevision)
		return s.Tokenizer, place, commit, err
	}
	name = model
	if s.Model == "" { // the name is a server's word
		place, commit = h.cachedTokenizer(name, s.TokenizerRevision)
		return name, place, commit, nil
	}
	place, there := spec.LocalTokenizer(name)
	if there || !isRepo(name) {
		return name, place, "", nil
	}
	if !strings.Contains(name, "/") || h.Hub().Offline { // a word such as "llama" is a served name more often than one of the hub's
		place, commit = h.cachedTokenizer(name, s.TokenizerRevision)
		return name, place, commit, nil
	}
	if place, commit, err = h.fetchTokenizer(ctx, name, s.TokenizerRevision, 1); err != nil && ctx.Err() == nil {
		h.Note("note: no tokenizer for --model %s: %v", name, err)
		err = nil
	}
	return name, place, commit, err
}

// NamedTokenizer is where the tokenizer of --tokenizer is on this machine: a path, or a
// name, for which it is fetched unless the cache has it. commit is that of the hub.
func (h *Host) NamedTokenizer(ctx context.Context, name, revision string) (place, commit string, err error) {
	place, there := spec.LocalTokenizer(name)
	const otherwise = "give a path, or leave it out to use the server's /tokenize"
	switch {
	case place != "":
		if revision != "" {
			h.Note("note: --tokenizer-revision has no effect: %s is a path", name)
		}
		return place, "", nil
	case there || !isRepo(name):
		return "", "", usage.Errorf("tokenizer", "%q is not a tokenizer file, a folder that holds one, or a model's name", name).WithHint(otherwise)
	}
	place, commit, err = h.fetchTokenizer(ctx, name, revision, 0)
	if errors.Is(err, hub.ErrNotFound) || errors.Is(err, hub.ErrDenied) || errors.Is(err, hub.ErrOffline) {
		return "", "", usage.Errorf("tokenizer", "%s is no path here, and by that name there is none to be had: %v", name, err).WithHint(otherwise)
	}
	return place, commit, err
}
