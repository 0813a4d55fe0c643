package serverlog

import (
	"bytes"
	"regexp"
	"strconv"
	"sync"
)

// Step is a part of a start that a server's log gives the time of.
type Step struct {
	Name    string // weights, model, compile, graphs, profile, engine, runner
	Server  string // whose words they are
	Seconds float64
}

// Compile is the step that vLLM's own bench startup calls compilation.
const Compile = "compile"

// steps are the lines that are known. The number is the last group; where a line comes several times (one for each
// process of a server) the longest counts: they run side by side.
var steps = []struct {
	name, server string
	line         func() *regexp.Regexp
}{
	{"weights", "vLLM", compiled(`Loading weights took ([0-9.]+) seconds`)},
	{"model", "vLLM", compiled(`Model loading took [0-9.]+ GiB(?: memory)? and ([0-9.]+) seconds`)},
	{Compile, "vLLM", compiled(`torch\.compile (?:takes|took) ([0-9.]+) s in total`)},
	{"profile", "vLLM", compiled(`Memory profiling takes ([0-9.]+) seconds`)},
	{"graphs", "vLLM", compiled(`Graph capturing finished in ([0-9.]+) secs`)},
	{"engine", "vLLM", compiled(`init engine \([^)]*\) took ([0-9.]+) (?:s|seconds)`)},
	{"weights", "SGLang", compiled(`Load weight end\. elapsed=([0-9.]+) s`)},
	{"graphs", "SGLang", compiled(`Capture cuda graph end\. Time elapsed: ([0-9.]+) s`)},
	{"runner", "Ollama", compiled(`llama runner started in ([0-9.]+) seconds`)},
}

// compiled is a pattern that is made when it is first needed: most commands never are.
func compiled(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// maxStartLog is how much of a log is looked at.
const maxStartLog = 8 << 20

// Startup finds the steps of a start in a server's log, in the order of the table above.
func Startup(log []byte) (found []Step) {
	log = log[:min(len(log), maxStartLog)]
	for _, s := range steps {
		longest := -1.0
		for line := range bytes.Lines(log) {
			if len(line) > maxLine {
				continue
			}
			if m := s.line().FindSubmatch(line); m != nil {
				if v, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
					longest = max(longest, v)
				}
			}
		}
		if longest >= 0 {
			found = append(found, Step{s.name, s.server, longest})
		}
	}
	return found
}
