package spec

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/usage"
)

// Address is a server's address as people type and paste it, taken apart.
type Address struct {
	Base     string // what all paths are put behind; a login is still in it
	Endpoint string // the path of the API that was pasted with it; empty: none
}

// barePlace is an address without a scheme. It has a port: a lone word could mean anything.
var barePlace = regexp.MustCompile(`^([^/@\s]+@)?([A-Za-z0-9._-]*|\[[0-9A-Fa-f:.%]+\]):[0-9]{1,5}(/\S*)?$`)

// LooksLikeAddress says whether a word of a command line is an address and no name of a command.
func LooksLikeAddress(word string) bool {
	word = bareAddress(word)
	return strings.Contains(word, "://") || barePlace.MatchString(word)
}

// bareAddress is an address without what a paste brings along: quotes, brackets of a document, a comma.
func bareAddress(text string) string {
	return strings.Trim(text, " \t\r\n\"'`<>“”‘’,;")
}

// ReadAddress understands a server's address: with or without a scheme, /v1 or a path of the
// API at its end. flag is the one that gave it; empty: it stood by itself.
func ReadAddress(flag, text string) (Address, error) {
	full := bareAddress(text)
	switch {
	case strings.Contains(full, "://"):
	case strings.HasPrefix(full, ":") && barePlace.MatchString(full):
		full = "http://127.0.0.1" + full
	case barePlace.MatchString(full):
		full = "http://" + full
	}
	if err := CheckURL(flag, full, "http", "https"); err != nil {
		return Address{}, err
	}
	u, err := url.Parse(full)
	if err != nil {
		return Address{}, err // CheckURL has parsed it
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), dialable(u.Host)
	path := strings.TrimRight(u.Path, "/")
	before, endpoint := splitPath(path)
	u.Path, u.RawPath = strings.TrimRight(before, "/"), ""
	return Address{Base: u.String(), Endpoint: endpoint}, nil
}

// dialable is the host to connect to for the one that a server says it listens on.
func dialable(host string) string {
	for all, own := range map[string]string{"0.0.0.0": "127.0.0.1", "[::]": "[::1]"} {
		if rest, ok := strings.CutPrefix(host, all); ok && (rest == "" || rest[0] == ':') {
			return own + rest
		}
	}
	return host
}

// asked are paths that people look at in a browser: they are the server's, and none takes requests.
var asked = []string{"/v1/models", "/v1", "/api/tags", "/health", "/metrics", "/props", "/docs"}

// splitPath parts what stands before the API from the path that requests go to.
func splitPath(path string) (before, endpoint string) {
	for _, known := range endpoints() {
		if before, ok := strings.CutSuffix(path, known); ok {
			return before, known
		}
	}
	if strings.HasSuffix(path, "/completions") { // a gateway's own, such as /openai/v4/chat/completions
		return "", path
	}
	for _, known := range asked {
		if before, ok := strings.CutSuffix(path, known); ok {
			return before, ""
		}
	}
	return path, ""
}

// endpoints are the paths of all backends, the longest first. One that holds the model's
// name is not among them.
func endpoints() (paths []string) {
	for _, name := range protocol.Backends() {
		b, err := protocol.FindBackend(name)
		if err != nil || name == protocol.CustomName {
			continue
		}
		if path := b.Path(); path != "" && !strings.Contains(path, protocol.ModelInPath) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return paths
}

// backendsAt are the backends that speak at a path: those that have just this one before those
// whose paths end alike, and within both some before the rest.
func backendsAt(endpoint string, before ...string) (names []string) {
	for _, exact := range []bool{true, false} {
		for _, name := range append(slices.Clip(before), protocol.Backends()...) {
			b, err := protocol.FindBackend(name)
			if err == nil && name != protocol.CustomName && (b.Path() == endpoint || !exact && speaksAt(b, endpoint)) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// speaksAt says whether a backend can be spoken at a path. That of chat ends like that of completions.
func speaksAt(b *protocol.Backend, endpoint string) bool {
	return b.Takes(endpoint) && (b.Chat || !strings.HasSuffix(endpoint, "chat/completions"))
}

// TakeAddresses understands the addresses of the servers. A path of the API that was pasted
// with one chooses endpoint and backend, where none was given.
func (s *Spec) TakeAddresses(given func(flag string) bool) error {
	for i, text := range s.URLs {
		a, err := ReadAddress(s.serverFlag(), text)
		if err != nil {
			return err
		}
		s.URLs[i] = a.Base
		if a.Endpoint == "" {
			if strings.HasSuffix(strings.TrimRight(bareAddress(text), "/"), "/v1") && strings.HasPrefix(s.Endpoint, "/") && !strings.HasPrefix(s.Endpoint, "/v1/") {
				s.Endpoint = "/v1" + s.Endpoint // /v1 was meant to stand before it
			}
			continue
		}
		if err := s.takeEndpoint(a.Endpoint, given); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spec) takeEndpoint(path string, given func(flag string) bool) error {
	if s.Endpoint != "" && s.Endpoint != path {
		return usage.Errorf(s.serverFlag(), "ends with %s, and requests are to go to %s", path, outside.Word(s.Endpoint)).WithHint("leave the path out of the address")
	}
	s.Endpoint = path
	fit := append(backendsAt(path, BackendOpenAI, BackendChat), BackendOpenAI)[0]
	b, err := protocol.FindBackend(s.Backend)
	switch {
	case s.Backend == BackendAuto || s.Backend == protocol.CustomName:
	case err != nil: // Validate says so
	case speaksAt(b, path):
	case given("backend"):
		return usage.Errorf(s.serverFlag(), "ends with %s, which %s %s does not speak", path, usage.Ref("backend"), s.Backend).
			WithHint("leave the path out of the address, or use %s %s", usage.Ref("backend"), fit)
	default:
		s.Backend = fit
	}
	return nil
}
