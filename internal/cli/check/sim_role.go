package check

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/sim/handoff"
)

// roleFlags are those that mean nothing without --role decode.
var roleFlags = []string{"kv-bytes-per-token", "kv-bandwidth", "kv-latency", "kv-shared", "kv-recompute"}

func simRoleFlags(set *argv.Set, role *string, c *handoff.Config) {
	g := argv.Group("Prefill and decode apart")
	set.Choice(role, "role", "", []string{handoff.Prefill, handoff.Decode}, "What this server does of each request, by the fields of vLLM's and SGLang's routers: prefill computes prompts and keeps them, decode gets them from there.", g, argv.Common(), argv.Metavar("prefill|decode"), argv.Shown("both"))
	set.Int(&c.BytesPerToken, "kv-bytes-per-token", c.BytesPerToken, "decode: bytes of a token's KV.", g)
	set.Float(&c.Bandwidth, "kv-bandwidth", c.Bandwidth, "decode: bytes a second of a transfer, such as 1e10; 0 is without a bound.", g, argv.Metavar("BYTES/S"))
	set.Duration(&c.Latency, "kv-latency", c.Latency, "decode: what each transfer takes beside its bytes.", g)
	set.Bool(&c.Shared, "kv-shared", "decode: transfers follow one another on one link. Without it each has its own.", g)
	set.Bool(&c.Recompute, "kv-recompute", "decode: compute a prompt that can't be had. Without it: its request fails, as in vLLM.", g)
}

// checkRole refuses flags of a transfer where there is none.
func (o *simOptions) checkRole(set *argv.Set) error {
	for _, name := range roleFlags {
		if set.Seen(name) && o.cfg.Role != handoff.Decode {
			return argv.Errorf(name, "is for a server that gets prompts from others; add --role decode")
		}
	}
	return nil
}
