package serve

import "github.com/inferometer/inferometer/internal/cli/argv"

// refuseFlags declares the flags of vllm bench serve that we don't do, each with
// the reason that the user reads when it is set. A flag that is declared already, by a
// dataset that is there now, is none of them: its line here can go.
func refuseFlags(set *argv.Set) {
	refuse := func(reason string, arity argv.Arity, names ...string) {
		for _, name := range names {
			if set.Lookup(name) == nil {
				set.Unsupported(name, arity, reason)
			}
		}
	}

	refuse("vLLM's client accepts it and sends nothing, so that it changes nothing; leave it out", argv.NoValue, "use-beam-search")

	refuse("it goes with the sounds of the dataset hf, which can't be read by this version", argv.OneValue, "asr-min-audio-len-sec", "asr-max-audio-len-sec")
}
