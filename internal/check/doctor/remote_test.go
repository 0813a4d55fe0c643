package doctor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gap is between events that come one by one.
const gap = 10 * time.Millisecond

func goodFake() *fake {
	return &fake{gap: gap, owner: "vllm", versions: map[string]string{"/version": `{"version":"0.32.0"}`}}
}

func TestServerInGoodHealth(t *testing.T) {
	t.Parallel()
	findings := goodFake().examined(t, nil)
	if len(findings) != len(remoteTable()) {
		t.Errorf("%d findings", len(findings))
	}
	for name, f := range findings {
		want := OK
		if name == "same_machine" {
			want = Note // it is
		}
		if f.Level != want || (f.Mend == "") != (f.Level == OK) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if got := findings["identity"].Figure; got != "vLLM 0.32.0, owned_by vllm" {
		t.Errorf("identity: %s", got)
	}
}

// Each case makes the server or the way ill in one way. Its name begins with the
// finding that must say so.
func TestRemote(t *testing.T) {
	t.Parallel()
	quick := func(f *fake) *fake { // where times don't matter
		f.gap = 0
		return f
	}
	for name, c := range map[string]struct {
		ill    func(*fake)
		change func(*Remote)
		level  Level
		figure string
		mend   string
	}{
		"addresses/v4_only": {nil, func(r *Remote) {
			r.Base = strings.Replace(r.Base, "127.0.0.1", "localhost", 1)
			r.Lookup = func(context.Context, string) ([]string, error) { return []string{"::1", "127.0.0.1"}, nil }
		}, Warn, `^localhost: 127.0.0.1 answers, ::1 does not$`, `^--base-url http://127.0.0.1:\d+$`},
		"dns/slow": {nil, func(r *Remote) {
			r.Base = strings.Replace(r.Base, "127.0.0.1", "localhost", 1)
			r.Lookup = func(context.Context, string) ([]string, error) {
				time.Sleep(2 * slowDNS)
				return []string{"127.0.0.1"}, nil
			}
		}, Warn, `^localhost in \d+ ms$`, `address instead of the name`},
		"same_machine/small":   {nil, func(r *Remote) { r.CPUs = 2 }, Warn, `2 processors for both`, `taskset`},
		"rtt/far":              {nil, func(r *Remote) { r.Dial = slowDial(r.Dial) }, Warn, `^\d+ ms to 127`, `nearer`},
		"tls/refused":          {func(f *fake) { f.tls = true }, nil, Bad, `certificate`, `--insecure`},
		"tls/insecure":         {func(f *fake) { f.tls = true }, insecure, Note, `^TLS 1.3, handshake .* certificate until \d{4}-\d\d-\d\d, not checked`, `leave --insecure out`},
		"http_version/2":       {func(f *fake) { f.tls, f.h2 = true, true }, insecure, Note, `^HTTP/2.0, when`, `--http2`},
		"http_version/1.1":     {func(f *fake) { f.tls = true }, insecure, OK, `^HTTP/1.1$`, ``},
		"keep_alive/closed":    {func(f *fake) { f.close = true }, nil, Warn, `needed a new connection`, `keep-alive on`},
		"keep_alive/llama":     {func(f *fake) { f.header = map[string]string{"Server": "llama.cpp"} }, nil, Note, `llama.cpp`, `nothing`},
		"compression/offered":  {func(f *fake) { f.compress = "offered" }, nil, Note, `^gzip where the client offers it`, `gzip off`},
		"compression/always":   {func(f *fake) { f.compress = "always" }, nil, Bad, `^gzip, though nobody offered it`, `gzip off`},
		"buffering/few_events": {func(f *fake) { f.tokens = 4 }, nil, Unknown, `4 events, too few`, ``},
		"between/trails": {func(f *fake) {
			f.header = map[string]string{"Via": "1.1 p", "CF-Ray": "9", "Server": "nginx/1.25", "X-Accel-Buffering": "no"}
		}, nil, Note, `^Via: 1.1 p, CF-Ray: 9, Server: nginx/1.25; X-Accel-Buffering: no$`, `own address`},
		"between/wish":      {func(f *fake) { f.header = map[string]string{"X-Accel-Buffering": "no"} }, nil, OK, `^no trace; X-Accel-Buffering: no$`, ``},
		"clock_skew/ahead":  {func(f *fake) { f.skew = 90 * time.Second }, nil, Warn, `^between \+(8[789]|90)\.\d and \+9\d\.\d s$`, `NTP`},
		"clock_skew/behind": {func(f *fake) { f.skew = -90 * time.Second }, nil, Warn, `^between -9[0-9]\.\d and -(8[789]|90)\.\d s$`, `NTP`},
		"identity/llama":    {func(f *fake) { f.owner, f.versions = "llamacpp", map[string]string{"/props": `{"build_info":"b123"}`} }, nil, OK, `^llama.cpp b123`, ``},
		"identity/sglang": {func(f *fake) {
			f.owner, f.versions = "sglang", map[string]string{"/get_server_info": `{"version":"0.5"}`}
		}, nil, OK, `^SGLang 0.5`, ``},
		"identity/tgi": {func(f *fake) {
			f.owner, f.versions = "m", map[string]string{"/info": `{"version":"3.1","model_id":"m"}`}
		}, nil, OK, `^TGI 3.1`, ``},
		"identity/ollama": {func(f *fake) {
			f.noModels, f.versions = true, map[string]string{"/": "Ollama is running", "/api/version": `{"version":"0.12"}`}
		}, nil, OK, `^Ollama 0.12`, ``},
		"identity/gateway":       {func(f *fake) { f.owner, f.versions = "openai", nil }, nil, Note, `^owned_by openai; kind or version`, `--metadata`},
		"identity/silent":        {func(f *fake) { f.owner, f.versions = "", nil }, nil, Unknown, `does not say`, ``},
		"model/absent":           {nil, func(r *Remote) { r.Model = "other" }, Bad, `^other is not there; it has m, n$`, `^--model m$`},
		"model/second":           {nil, func(r *Remote) { r.Model = "n" }, OK, `^n, longest context not told; 2 listed$`, ``},
		"model/llama":            {func(f *fake) { f.versions["/v1/models"] = `{"data":[{"id":"m","meta":{"n_ctx":2048}}]}` }, nil, OK, `^m, 2048 tokens at most; 1 listed$`, ``},
		"model/unlisted":         {func(f *fake) { f.noModels = true }, nil, Warn, `can't be listed: .*404`, `--model`},
		"stream/refused":         {func(f *fake) { f.status = http.StatusTooManyRequests }, nil, Bad, `^HTTP 429: not today$`, `API key`},
		"stream/broken":          {func(f *fake) { f.breakOff = true }, nil, Bad, `broke off`, `.`},
		"stream/error":           {func(f *fake) { f.fails = "out of memory" }, nil, Bad, `inside the stream: out of memory`, `.`},
		"stream/picky":           {func(f *fake) { f.pickyField = true }, nil, OK, `finish reason length`, ``},
		"length/picky":           {func(f *fake) { f.pickyField = true }, nil, Warn, `^32 tokens of 32 asked for; ignore_eos is refused: HTTP 400: unknown field`, `ignore_eos`},
		"length/short":           {func(f *fake) { f.tokens = 12 }, nil, Warn, `^12 tokens of 32 .*ignore_eos is not kept`, `.`},
		"length/long":            {func(f *fake) { f.tokens = 40 }, nil, Bad, `max_tokens is not kept`, `.`},
		"length/uncounted":       {func(f *fake) { f.noUsage = true }, nil, Unknown, `does not count`, ``},
		"usage/none":             {func(f *fake) { f.noUsage = true }, nil, Warn, `^none$`, `--tokenizer`},
		"chunks/several":         {func(f *fake) { f.perEvent = 4 }, nil, Note, `^4.0 tokens an event \(32 in 8\)`, `TPOT`},
		"metrics/none":           {func(f *fake) { f.noMetrics = true }, nil, Note, `404`, `--metrics`},
		"reach/http_on_https":    {func(f *fake) { f.tls = true }, func(r *Remote) { r.Base = strings.Replace(r.Base, "https", "http", 1) }, OK, `.`, ``},
		"reach/https_on_http":    {nil, func(r *Remote) { r.Base = strings.Replace(r.Base, "http", "https", 1) }, Bad, `takes the connection, but: .*HTTP`, `http or https`},
		"compression/no_success": {func(f *fake) { f.status = http.StatusTeapot }, nil, Unknown, `\(see stream\)`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := quick(goodFake())
			if c.ill != nil {
				c.ill(s)
			}
			which, _, _ := strings.Cut(name, "/")
			check(t, s.examined(t, c.change)[which], c.level, c.figure, c.mend)
		})
	}
}

func check(t *testing.T, f Finding, level Level, figure, mend string) {
	t.Helper()
	if f.Level != level || !regexp.MustCompile(figure).MatchString(f.Figure) {
		t.Errorf("%s is %s: %s, want %s: %s", f.Name, f.Level, f.Figure, level, figure)
	}
	if (mend == "") != (f.Mend == "") || !regexp.MustCompile(mend).MatchString(f.Mend) {
		t.Errorf("to mend: %q, want %q", f.Mend, mend)
	}
}

func insecure(r *Remote) { r.Insecure = true }

func slowDial(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		time.Sleep(longTrip + 10*time.Millisecond)
		return dial(ctx, network, addr)
	}
}

// A proxy that holds events back is told from a server that is quick and from
// one that is not held back.
func TestBuffering(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fake  fake
		level Level
	}{
		"one by one":           {fake{gap: gap}, OK},
		"eight at a time":      {fake{gap: gap, hold: 8}, Bad},
		"all at the end":       {fake{gap: gap, hold: 1000}, Bad},
		"a very quick server":  {fake{hold: 1000}, Warn},
		"several in an event ": {fake{gap: gap, perEvent: 2}, OK},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.fake.examined(t, nil)["buffering"]
			if f.Level != c.level {
				t.Errorf("%s: %s, want %s", f.Level, f.Figure, c.level)
			}
		})
	}
}

func TestBurstiness(t *testing.T) {
	for name, c := range map[string]struct {
		ms   []float64
		want float64
	}{
		"none":                       {nil, 1},
		"one":                        {[]float64{5}, 1},
		"even":                       {[]float64{0, 10, 20, 30}, 1},
		"even and quick":             {[]float64{0, 0.2, 0.4, 0.6}, 1},
		"pairs":                      {[]float64{0, 0, 20, 20, 40, 40}, 2},
		"close by":                   {[]float64{0, 1, 20, 21, 40, 41}, 2},
		"all at once":                {[]float64{7, 7, 7, 7}, 4},
		"all at once, in many reads": {[]float64{7, 7.05, 7.1, 7.15}, 4},
		"a stall":                    {[]float64{0, 10, 20, 60, 70, 80}, 1},
	} {
		var times []int64
		for _, v := range c.ms {
			times = append(times, int64(v*1e6))
		}
		if got := burstiness(times); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Through a proxy the way is that to the proxy, and it says so.
func TestThroughProxy(t *testing.T) {
	t.Parallel()
	var network memnet.Network
	findings := goodFake().examinedOn(t, &network, func(t *testing.T, r *Remote) {
		transport := &http.Transport{DialContext: network.DialContext}
		t.Cleanup(transport.CloseIdleConnections)
		proxy := listen(t, &network, "127.0.0.1:3128", &httputil.ReverseProxy{
			Rewrite: func(p *httputil.ProxyRequest) {
				p.Out.URL.Host = p.In.URL.Host
				// Go's server closes the body when the answer begins. A transport that has not seen
				// its end by then breaks off the whole exchange, so it gets a copy.
				body, err := io.ReadAll(p.In.Body)
				if err != nil {
					t.Error(err)
				}
				p.Out.Body = io.NopCloser(bytes.NewReader(body))
			},
			Transport: transport, FlushInterval: -1,
			ModifyResponse: func(r *http.Response) error { r.Header.Set("Via", "1.1 test"); return nil },
		}, false, false)
		var err error
		if r.Proxy, err = url.Parse(proxy); err != nil {
			t.Fatal(err)
		}
	})
	check(t, findings["reach"], OK, `^the proxy 127`, ``)
	check(t, findings["same_machine"], Unknown, `hides`, ``)
	check(t, findings["between"], Note, `^Via: 1.1 test`, `.`)
	check(t, findings["stream"], OK, `.`, ``)
}

// Where the server is not reached one finding is bad, and all others say that they could not be made.
func TestUnreachable(t *testing.T) {
	p, err := protocol.FindBackend("openai")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Remote)
		figure string
	}{
		"refused": {func(*Remote) {}, `127.0.0.1:1: .*refused`},
		"no name": {func(r *Remote) {
			r.Base = "http://model.invalid"
			r.Lookup = func(context.Context, string) ([]string, error) { return nil, errors.New("no such host") }
		}, `^model.invalid: no such host`},
		"no address": {func(r *Remote) {
			r.Base = "http://model.invalid"
			r.Lookup = func(context.Context, string) ([]string, error) { return nil, nil }
		}, `no address`},
	} {
		r := NewRemote("http://127.0.0.1:1", p)
		c.change(&r)
		findings := r.Examine(t.Context(), func(string) bool { return false })
		if len(findings) != len(remoteTable()) {
			t.Errorf("%s: %d findings", name, len(findings))
		}
		check(t, findings[0], Bad, c.figure, `.`)
		for _, f := range findings[1:] {
			if f.Level != Unknown || f.Figure != "the server was not reached" {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}
