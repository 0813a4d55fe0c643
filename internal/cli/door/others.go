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

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/target"
)

// usualPorts are where servers listen unless they are told otherwise.
var usualPorts = []struct{ port, of string }{
	{"8000", "vLLM, TensorRT-LLM"}, {"8080", "llama.cpp, TGI"}, {"11434", "Ollama"}, {"30000", "SGLang"}, {"1234", "LM Studio"}, {"4000", "LiteLLM"},
}

// lookTime bounds the look at all of them.
const lookTime = 300 * time.Millisecond

// others says which servers answer on this machine where nobody listens at the address that was
// given; nil: none does, or the address is no local one.
func (v *visit) others(ctx context.Context, base string, why error) error {
	u, err := url.Parse(base)
	if err != nil || !strings.Contains(why.Error(), "nothing is listening") && !errors.Is(why, syscall.ECONNREFUSED) || !isLocal(u.Hostname()) {
		return nil
	}
	found := look(ctx, u.Hostname(), func(port string) bool { return port != u.Port() })
	if len(found) == 0 {
		return nil
	}
	return errors.New("these answer on this machine:\n  inferometer " + strings.Join(found, "\n  inferometer "))
}

// look asks the usual ports for their models.
func look(ctx context.Context, host string, wanted func(port string) bool) (found []string) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	words := make([]string, len(usualPorts))
	var all sync.WaitGroup
	for i, p := range usualPorts {
		if !wanted(p.port) {
			continue
		}
		all.Go(func() {
			base := "http://" + net.JoinHostPort(host, p.port)
			t := target.At(base, nil, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}})
			if models, err := t.Models(ctx); err == nil && len(models) > 0 {
				words[i] = fmt.Sprintf("%s  (%s)", base, outside.Line(models[0].ID, 60))
			}
		})
	}
	all.Wait()
	for _, w := range words {
		if w != "" {
			found = append(found, w)
		}
	}
	return found
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
