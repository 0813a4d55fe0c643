package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/measure"
)

// shapes has rows of each kind: timed by the server too, for two sequences, and one that failed.
func shapes() *Shapes {
	sample := func(tokens float64, ns, serverNs int64) batch.Sample {
		return batch.Sample{Tokens: tokens, Ns: ns, ServerTokens: tokens, ServerNs: serverNs}
	}
	row := func(s batch.Shape, run string, failures []string, samples ...batch.Sample) ShapeLine {
		return ShapeLine{ShapeRow: batch.ShapeRow{Shape: s, Samples: samples, Failures: failures}, Time: "2026-01-31T15:04:05Z", Run: "runs/" + run}
	}
	return &Shapes{
		Model: "/models/SmolLM2-135M.gguf", Server: "llamacpp", Bytes: 96576768, Params: 134515008, Overhead: []float64{12e6, 13e6},
		Rows: []ShapeLine{
			row(batch.Shape{Prompt: 512, Batch: 1}, "pp512", nil, sample(512, 4e9, 3.9e9), sample(512, 5e9, 4.9e9)),
			row(batch.Shape{Gen: 128, Batch: 2}, "tg128-b2", nil, sample(254, 2e9, 0), sample(254, 3e9, 0)),
			row(batch.Shape{Prompt: 512, Depth: 4096, Batch: 1}, "pp512-d4096", []string{`http_5xx: "no"`, "x"}),
		},
	}
}

func TestShapesGolden(t *testing.T) {
	for _, format := range ShapesFormats {
		var b bytes.Buffer
		if err := WriteShapes(&b, shapes(), format); err != nil {
			t.Fatal(err)
		}
		golden(t, "shapes."+format, b.Bytes())
		if format == "json" && !json.Valid(b.Bytes()) {
			t.Error("the JSON is none")
		}
	}
	if err := WriteShapes(&bytes.Buffer{}, shapes(), "sql"); err == nil || !strings.Contains(err.Error(), "md, csv, json, jsonl") {
		t.Errorf("an unknown form gives %v", err)
	}
}

// A server that tells nothing gives fewer columns, as llama-bench leaves out what is the same for all.
func TestShapesOfAnUnknownServer(t *testing.T) {
	s := shapes()
	s.Server, s.Bytes, s.Params, s.Subtracted, s.Rows = "", 0, 0, true, s.Rows[:1]
	s.Rows[0].Samples[0].ServerNs = 0
	var b bytes.Buffer
	if err := WriteShapes(&b, s, "md"); err != nil {
		t.Fatal(err)
	}
	golden(t, "shapes_unknown.md", b.Bytes())
}

func TestLatencyGolden(t *testing.T) {
	l := &batch.Latencies{Seconds: []float64{0.5, 0.25, 1}, Failures: []string{"http_5xx: HTTP 503"}}
	var text, file bytes.Buffer
	if err := LatencyConsole(&text, l); err != nil {
		t.Fatal(err)
	}
	if err := LatencyJSON(&file, l); err != nil {
		t.Fatal(err)
	}
	golden(t, "latency.txt", text.Bytes())
	golden(t, "latency.json", file.Bytes())
}

func TestThroughputGolden(t *testing.T) {
	r := measured(t, closed(), measure.Options{})
	var text, file bytes.Buffer
	if err := ThroughputConsole(&text, r); err != nil {
		t.Fatal(err)
	}
	if err := ThroughputJSON(&file, r); err != nil {
		t.Fatal(err)
	}
	golden(t, "throughput.txt", text.Bytes())
	golden(t, "throughput.json", file.Bytes())
}
