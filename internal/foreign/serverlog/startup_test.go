package serverlog

import (
	"reflect"
	"testing"
)

func TestStartup(t *testing.T) {
	log := `INFO 11-16 10:00:01 [default_loader.py:268] Loading weights took 3.21 seconds
(Worker_TP1 pid=12) INFO 11-16 10:00:01 [default_loader.py:268] Loading weights took 3.40 seconds
INFO [gpu_model_runner.py:2602] Model loading took 14.9889 GiB memory and 4.56 seconds
INFO [backends.py:559] Dynamo bytecode transform time: 5.04 s
INFO [monitor.py:34] torch.compile takes 25.14 s in total
INFO [gpu_model_runner.py:2985] Graph capturing finished in 20 secs, took 0.53 GiB
INFO [core.py:193] init engine (profile, create kv cache, warmup model) took 60.31 seconds
time=2026 level=INFO source=server.go:1 msg="llama runner started in 0.75 seconds"
torch.compile takes lots of s in total
`
	want := []Step{
		{"weights", "vLLM", 3.40},
		{"model", "vLLM", 4.56},
		{Compile, "vLLM", 25.14},
		{"graphs", "vLLM", 20},
		{"engine", "vLLM", 60.31},
		{"runner", "Ollama", 0.75},
	}
	if got := Startup([]byte(log)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got := Startup([]byte("torch.compile takes 1.2.3 s in total\n")); got != nil {
		t.Errorf("no number gives %+v", got)
	}
}
