package doctor

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// trails are headers that an intermediary leaves in a response.
var trails = []string{
	"Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Cache", "X-Served-By", "CF-Ray", "X-Amz-Cf-Id", "X-Amzn-Trace-Id",
	"X-Envoy-Upstream-Service-Time", "X-Kong-Proxy-Latency", "X-Litellm-Version", "X-Azure-Ref", "Fly-Request-Id",
}

// gateways are names in a Server header that are no inference server's.
var gateways = []string{"nginx", "openresty", "cloudflare", "envoy", "caddy", "apache", "haproxy", "traefik", "awselb", "kong", "varnish"}

func standsBetween(f *facts) result {
	var get func(string) string = f.answer.header.Get
	if len(f.probes) > 0 && f.probes[0].header != nil {
		get = f.probes[0].header.Get
	}
	var seen []string
	for _, name := range trails {
		if v := get(name); v != "" {
			seen = append(seen, fmt.Sprintf("%s: %.60s", name, v))
		}
	}
	server := get("Server")
	if slices.ContainsFunc(gateways, func(g string) bool { return strings.Contains(strings.ToLower(server), g) }) {
		seen = append(seen, "Server: "+server)
	}
	told := ""
	if v := get("X-Accel-Buffering"); v != "" { // the server's own wish: no sign of a proxy
		told = fmt.Sprintf("; X-Accel-Buffering: %.60s", v)
	}
	if len(seen) == 0 {
		return found(OK, "no trace%s", told)
	}
	return found(Note, "%s%s", strings.Join(seen, ", "), told)
}

// muchSkew is what is certainly no rounding of the Date header.
const muchSkew = 2 * time.Second

// clockSkew compares the Date header with our clock. It says the second only, and
// may be a second old in servers that keep it: the true offset lies between low and high.
func clockSkew(f *facts) result {
	date, err := http.ParseTime(f.answer.header.Get("Date"))
	if err != nil {
		return unknown(errors.New("the server sends no Date"))
	}
	low, high := date.Sub(f.answer.seen), date.Add(time.Second).Sub(f.answer.sent)
	figure := fmt.Sprintf("between %+.1f and %+.1f s", low.Seconds(), high.Seconds())
	if low > muchSkew || high < -muchSkew {
		return found(Warn, "%s", figure)
	}
	return found(OK, "none that Date can show (%s)", figure)
}
