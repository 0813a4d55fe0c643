package serve

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
)

// noStream is vLLM's flag for how a set of Hugging Face's is read. With any other dataset
// vLLM does nothing about it, and here it asks for answers that are not streamed.
const noStream = "no-stream"

// resolveNoStream takes --no-stream for --unstreamed where it can mean nothing else.
func (o *Options) resolveNoStream(set *argv.Set) {
	if o.noStreamIsUnstreamed(set) {
		o.Unstreamed = true
	}
}

func (o *Options) noStreamIsUnstreamed(set *argv.Set) bool {
	return set.Lookup("unstreamed") != nil && set.Seen(noStream) && o.DatasetName != "hf" && o.Compat == ""
}
