package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// TestReplica: a server with its role, and with how many GPUs or which.
func TestReplica(t *testing.T) {
	for text, want := range map[string]journal.Replica{
		"http://a:8000":                 {URL: "http://a:8000"},
		"prefill=http://a:8000/":        {URL: "http://a:8000", Role: journal.Prefill},
		"decode:4=http://a:8000":        {URL: "http://a:8000", Role: journal.Decode, GPUs: 4},
		"both:gpu7=http://a:8000":       {URL: "http://a:8000", GPUs: 1, Devices: []string{"7"}},
		"prefill:gpu2-4=http://a:8000":  {URL: "http://a:8000", Role: journal.Prefill, GPUs: 3, Devices: []string{"2", "3", "4"}},
		" Prefill : 2 = http://a:8000 ": {URL: "http://a:8000", Role: journal.Prefill, GPUs: 2},
	} {
		got, err := readReplica(text)
		if err != nil || got.URL != want.URL || got.Role != want.Role || got.GPUs != want.GPUs || !slices.Equal(got.Devices, want.Devices) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		"prefill:0=http://a:8000":           "GPUs of a server",
		"prefill:gpu=http://a:8000":         "GPUs of a server",
		"prefill:gpu3-2=http://a:8000":      "GPUs of a server",
		"prefill:gpu0-99999=http://a:8000":  "GPUs of a server",
		"prefill:gpu0-1-2=http://a:8000":    "GPUs of a server",
		"prefil=http://a:8000":              "role",
		"decode=http://user:secret@a:8000":  "login",
		"decode:gpu-1=http://a:8000":        "GPUs of a server",
		"decode:gpu\x1b[31m1=http://a:8000": "GPUs of a server",
	} {
		if _, err := readReplica(text); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
