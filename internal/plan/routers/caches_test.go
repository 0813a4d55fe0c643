package routers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/judge/routing"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/send/target"
)

// replica is a server that says of its cache what a test wants.
type replica struct {
	metrics string // with USE in the place of the cache's use
	paths   []string
	use     float64
	emptied string
}

func (r *replica) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch {
	case q.URL.Path == "/metrics" && r.metrics != "":
		fmt.Fprint(w, strings.ReplaceAll(r.metrics, "USE", fmt.Sprint(r.use)))
	case q.Method == http.MethodPost && strings.Contains(strings.Join(r.paths, " "), q.URL.Path):
		r.use, r.emptied = 0, q.URL.Path
	default:
		http.NotFound(w, q)
	}
}

const vllm = `vllm:num_requests_running{engine="0"} 0
vllm:kv_cache_usage_perc{engine="0"} USE
vllm:cache_config_info{block_size="16",num_gpu_blocks="500",num_gpu_blocks_override="None",engine="0"} 1
vllm:cache_config_info{block_size="16",num_gpu_blocks="500",num_gpu_blocks_override="None",engine="1"} 1
`

func TestEmpty(t *testing.T) {
	for _, tt := range []struct {
		name     string
		replica  replica
		settings routers.Settings
		paths    []string
		fresh    bool
		want     string
		err      string
	}{
		{name: "vLLM, two engines", replica: replica{metrics: vllm, paths: []string{"/reset_prefix_cache"}, use: 0.5}, want: "/reset_prefix_cache 1000×16 set=false use=0"},
		{name: "SGLang's path", replica: replica{metrics: vllm, paths: []string{"/flush_cache"}, use: 0.5}, want: "/flush_cache 1000×16 set=false use=0"},
		{name: "a path of one's own", replica: replica{metrics: vllm, paths: []string{"/mine"}}, paths: []string{"/mine"}, want: "/mine 1000×16 set=false use=0"},
		{name: "no metrics, sizes given", replica: replica{paths: []string{"/flush_cache"}}, settings: routers.Settings{CacheTokens: 6400, BlockSize: 64}, want: "/flush_cache 100×64 set=false use=?"},
		{
			name: "set by hand", replica: replica{metrics: strings.ReplaceAll(vllm, `override="None"`, `override="500"`), paths: []string{"/flush_cache"}},
			want: "/flush_cache 1000×16 set=true use=0",
		},
		{name: "it can't be emptied", replica: replica{metrics: vllm}, err: "routers.empty: restart"},
		{name: "it can't be emptied, and was just started", replica: replica{metrics: vllm}, fresh: true, want: "start 1000×16 set=false use=0"},
		{name: "it is left", replica: replica{metrics: vllm, use: 0.4}, settings: routers.Settings{Empty: routers.Leave}, want: " 1000×16 set=false use=0.4"},
		{name: "others use it", replica: replica{metrics: strings.Replace(vllm, `running{engine="0"} 0`, `running{engine="0"} 3`, 1)}, err: "still serves 3 requests"},
		{name: "it lies", replica: replica{metrics: `vllm:cache_config_info{block_size="-5",num_gpu_blocks="99999999999999999999"} 1`, paths: []string{"/flush_cache"}}, want: "/flush_cache 0×0 set=false use=?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(&tt.replica)
			defer server.Close()
			c := &routers.Caches{
				At: func(address string) *target.Target { return target.At(address, nil, server.Client()) }, URLs: []string{server.URL}, Paths: tt.paths,
				Fresh: tt.fresh, Settings: &tt.settings, Patience: 300 * time.Millisecond,
			}
			list, err := c.Empty(t.Context())
			if tt.err != "" || err != nil {
				if tt.err == "" || err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("the error is %v, want %q", err, tt.err)
				}
				return
			}
			if got := describe(&list[0]); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func describe(c *routing.Cache) string {
	use := "?"
	if c.Use != nil {
		use = fmt.Sprint(*c.Use)
	}
	return fmt.Sprintf("%s %d×%d set=%v use=%s", c.Emptied, c.Blocks, c.BlockSize, c.Set, use)
}
