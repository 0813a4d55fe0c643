package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// servedModel holds the model that was named against what the servers list.
func servedModel(f *facts, _ limits) Check {
	o := &f.run.Options
	switch {
	case len(f.run.Serves) == 0:
		return skip("the server lists no models")
	case o.SentModel == "":
		return skip("the journal does not say which model was asked for")
	}
	byTarget := map[int][]journal.Served{}
	for _, s := range f.run.Serves {
		byTarget[s.Target] = append(byTarget[s.Target], s)
	}
	for target := range max(len(f.run.Targets), 1) {
		list := byTarget[target]
		if f.run.RouterAt(target) != nil && len(list) == 1 && list[0].ID == "unknown" { // sglang-router's word for what it was not told
			return skip("the router does not say which model its servers have")
		}
		if words := otherModel(o.Model, o.SentModel, list); len(list) > 0 && words != "" {
			return Check{Level: Suspect, Sentence: f.serverWords(&scraped{target: target}) + words, Effect: "the numbers may be those of another model"}.
				brief("the server may be serving a different model than was named")
		}
	}
	return Check{Level: OK, Sentence: fmt.Sprintf("%s was asked for; served: %s", o.SentModel, served(f.run.Serves))}
}

// otherModel says that what is served is not what was named; empty: it is, or nothing tells.
func otherModel(named, sent string, list []journal.Served) string {
	i := slices.IndexFunc(list, func(s journal.Served) bool { return sameName(s.ID, sent) })
	anyName := len(list) > 0 && strings.EqualFold(list[0].OwnedBy, "llamacpp")
	switch {
	case i < 0 && anyName: // it answers to any name, with the one model that it has
		if contradict(sent, list[0].ID, true) {
			return fmt.Sprintf("model is %s, but %s was named", served(list), sent)
		}
	case i < 0 && !slices.ContainsFunc(list, func(s journal.Served) bool { return related(sent, s.ID) || related(sent, s.Root) }):
		return fmt.Sprintf("list of models has no %s, only %s", sent, served(list))
	case i < 0:
		near := slices.IndexFunc(list, func(s journal.Served) bool { return related(sent, s.ID) || related(sent, s.Root) })
		if contradict(sent, list[near].ID, false) {
			return fmt.Sprintf("list of models has no %s, only %s", sent, served(list))
		}
	case named != "" && list[i].Root != "" && contradict(named, list[i].Root, anyName):
		return fmt.Sprintf("model %s was loaded from %s, but %s was named", sent, list[i].Root, named)
	case named != "" && named != sent && contradict(named, sent, true):
		return fmt.Sprintf("model is %s, but %s was named", sent, named)
	}
	return ""
}

// sameName compares as servers do: Ollama's name without a tag is the latest.
func sameName(a, b string) bool {
	tagged := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), ":latest") }
	return tagged(a) == tagged(b)
}

// Marks in a model's name: how large it is, and how its weights are kept.
var (
	sizeMark  = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])((?:\d+x)?\d+(?:\.\d+)?[bm])(?:[^a-z0-9]|$)`)
	quantMark = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(awq|gptq|bnb|(?:nv|mx)?fp[48]|int[48]|w\d+a\d+|i?q\d+(?:_[a-z0-9]+)*|bf16|fp?16|f32|fp32|[2348]bit)(?:[^a-z0-9]|$)`)
)

// contradict says that two names can't mean the same weights: sizes or quantisations
// differ. silent: a name that says nothing of a quantisation leaves it open; else it
// means the weights as they were published.
func contradict(a, b string, silent bool) bool {
	if sa, sb := marks(sizeMark, a), marks(sizeMark, b); len(sa) > 0 && len(sb) > 0 && !slices.Equal(sa, sb) {
		return true
	}
	qa, qb := marks(quantMark, a), marks(quantMark, b)
	if len(qa) == 0 || len(qb) == 0 {
		// Only of what is plainly the same model otherwise: a path may be any folder.
		return !silent && len(qa) != len(qb) && related(a, b) && !plain(qa) && !plain(qb)
	}
	return !slices.Equal(qa, qb)
}

// plain are marks of weights that are not quantised.
func plain(marks []string) bool {
	return len(marks) > 0 && !slices.ContainsFunc(marks, func(m string) bool { return !slices.Contains([]string{"bf16", "f16", "fp16", "f32", "fp32"}, m) })
}

func marks(re *regexp.Regexp, name string) (found []string) {
	name = base(name)
	for at := 0; at < len(name); {
		m := re.FindStringSubmatchIndex(name[at:])
		if m == nil {
			break
		}
		mark := strings.ToLower(name[at+m[2] : at+m[3]])
		if !slices.Contains(found, mark) {
			found = append(found, mark)
		}
		at += m[3] // the mark's end may begin the next one
	}
	slices.Sort(found)
	return found
}

// related says that one name without its marks begins with the other: Qwen3-8B-AWQ
// and qwen3-8b are the same model in two forms.
func related(a, b string) bool {
	a, b = stem(a), stem(b)
	return a != "" && b != "" && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// stem is a name's letters and digits, without owner, ending and quantisation.
func stem(name string) string {
	name = base(name)
	if m := quantMark.FindStringSubmatchIndex(name); m != nil {
		name = name[:m[2]]
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// base is the last part of a path or an id, in small letters.
func base(name string) string {
	name = strings.ToLower(strings.TrimRight(name, "/"))
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gguf"), ":latest")
}

// served names a few models, with what they were loaded from.
func served(list []journal.Served) string {
	const most = 3
	var words []string
	for i, s := range list {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		word := s.ID
		if s.Root != "" && s.Root != s.ID {
			word += " (" + s.Root + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
