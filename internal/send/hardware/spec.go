package hardware

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// The words that stand for no list.
const (
	Auto = "auto" // what this machine has, if the server is on it
	None = "none"
)

// Spec says which sources are read.
type Spec struct {
	Auto  bool
	Items []Item
}

// Item is one source.
type Item struct{ Kind, URL string }

// maxItems bounds a list; a rack has fewer exporters.
const maxItems = 64

// Names lists the sources as they are written.
func Names() []string {
	var names []string
	for i := range kinds {
		names = append(names, kinds[i].written())
	}
	return names
}

func (k *kind) written() string {
	if k.url {
		return k.name + "=URL"
	}
	return k.name
}

// Parse reads auto, none, or a list such as nvidia-smi,rapl,dcgm=http://host:9400.
func Parse(text string) (Spec, error) {
	switch text {
	case Auto:
		return Spec{Auto: true}, nil
	case None, "":
		return Spec{}, nil
	}
	var s Spec
	for word := range strings.SplitSeq(text, ",") {
		item, err := parseItem(strings.TrimSpace(word))
		switch {
		case err != nil:
			return Spec{}, err
		case slices.Contains(s.Items, item):
			return Spec{}, fmt.Errorf("names %s twice", item.Shown())
		case len(s.Items) == maxItems:
			return Spec{}, fmt.Errorf("names more than %d sources", maxItems)
		}
		s.Items = append(s.Items, item)
	}
	return s, nil
}

func parseItem(word string) (Item, error) {
	name, address, given := strings.Cut(word, "=")
	k := findKind(name)
	switch {
	case name == Auto || name == None:
		return Item{}, fmt.Errorf("has %s in a list: it stands alone, or one or more of %s", name, strings.Join(Names(), ", "))
	case k == nil:
		return Item{}, fmt.Errorf("has no source %q: there are auto, none, or one or more of %s", outside.Word(name), strings.Join(Names(), ", "))
	case k.url && !given:
		return Item{}, fmt.Errorf("needs the address of %s, as in %s=http://host:9400/metrics", k.doc, name)
	case !k.url && given:
		return Item{}, fmt.Errorf("takes no address for %s", name)
	case !k.url:
		return Item{Kind: name}, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Item{}, fmt.Errorf("can't read the address %q of %s: give one such as http://host:9400/metrics", outside.RedactURL(outside.Word(address)), name)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/metrics"
	}
	u.Fragment = ""
	return Item{name, u.String()}, nil
}

// Shown is the item without a login.
func (i Item) Shown() string {
	if i.URL == "" {
		return i.Kind
	}
	return i.Kind + "=" + outside.RedactURL(i.URL)
}

// Redact hides logins in a list.
func Redact(text string) string {
	words := strings.Split(text, ",")
	for i, w := range words {
		if name, address, ok := strings.Cut(w, "="); ok {
			words[i] = name + "=" + outside.RedactURL(address)
		}
	}
	return strings.Join(words, ",")
}

// URLs are the addresses that are asked.
func (s Spec) URLs() []string {
	var list []string
	for _, i := range s.Items {
		if i.URL != "" {
			list = append(list, i.URL)
		}
	}
	return list
}

// Here are the sources that each machine answers for itself, without those behind an address.
func (s Spec) Here() Spec {
	s.Items = slices.DeleteFunc(slices.Clone(s.Items), func(i Item) bool { return i.URL != "" })
	return s
}

// String is what Parse reads.
func (s Spec) String() string {
	switch {
	case s.Auto:
		return Auto
	case len(s.Items) == 0:
		return None
	}
	var words []string
	for _, i := range s.Items {
		if i.URL != "" {
			words = append(words, i.Kind+"="+i.URL)
			continue
		}
		words = append(words, i.Kind)
	}
	return strings.Join(words, ",")
}
