package check

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
)

func simLifeFlags(set *argv.Set, o *simOptions) {
	g, c := argv.Group("Start and end"), &o.cfg
	set.Duration(&o.startupPort, "startup-port", 0, "Time from the start until the port is open.", g)
	set.Duration(&c.StartupTime, "startup-time", 0, "Time from the start until the model is loaded: requests, /health and /v1/models get 503 until then. A slow first while after that: --change 0s=10,5s=1.", g)
	set.Duration(&c.WakeTime, "wake-time", 0, "What POST /wake_up takes after /sleep.", g)
	set.Duration(&c.AdapterTime, "adapter-time", 0, "What taking an adapter in takes, by POST /v1/load_lora_adapter.", g)
	set.Duration(&c.Drain, "drain", 0, "When told to end, refuse new requests and let those in progress run on for as long as this. Without it they are cut off at once, as by vLLM.", g, argv.Shown("not at all"))
}
