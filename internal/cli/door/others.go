package door

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// usualPorts are where vLLM, llama.cpp and TGI, Ollama, SGLang, LM Studio and LiteLLM listen unless they are
// told otherwise.
var usualPorts = []string{"8000", "8080", "11434", "30000", "1234", "4000"}

// lookTime bounds the look at all of them.
const lookTime = 300 * time.Millisecond

// withOthers says beside an error that nobody listens at a local address which servers do
// on this machine.
func withOthers(ctx context.Context, base string, why error) error {
	u, err := url.Parse(base)
	if err != nil || !errors.Is(why, syscall.ECONNREFUSED) || !isLocal(u.Hostname()) {
		return why
	}
	switch found := look(ctx, u.Hostname()); len(found) {
	case 0:
		return why
	case 1:
		return fmt.Errorf("%w; this one answers: inferometer %s", why, found[0])
	default:
		return fmt.Errorf("%w; these answer: inferometer %s", why, strings.Join(found, ", inferometer "))
	}
}

// look asks the usual ports for their models.
func look(ctx context.Context, host string) (found []string) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	answers := make([]bool, len(usualPorts))
	at := func(port string) string { return "http://" + net.JoinHostPort(host, port) }
	var all sync.WaitGroup
	for i, port := range usualPorts {
		all.Go(func() {
			t := target.At(at(port), nil, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
			models, err := t.Models(ctx)
			answers[i] = err == nil && len(models) > 0
		})
	}
	all.Wait()
	for i, port := range usualPorts {
		if answers[i] {
			found = append(found, at(port))
		}
	}
	return found
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
