package hardware

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"auto": "auto", "none": "none", "": "none", "rapl": "rapl", "nvidia-smi, rapl": "nvidia-smi,rapl",
		"dcgm=http://host:9400": "dcgm=http://host:9400/metrics", "dcgm=http://a/x?y=1,dcgm=http://b,node=https://c/": "dcgm=http://a/x?y=1,dcgm=http://b/metrics,node=https://c/metrics",
		"nvidia": "", "rapl,rapl": "", "auto,rapl": "", "dcgm": "", "dcgm=": "", "dcgm=host:9400": "", "rapl=http://a": "", "amd=file:///etc/passwd": "", ",": "", "nvidia-smi --help": "",
	} {
		s, err := Parse(text)
		if want == "" && err == nil || want != "" && (err != nil || s.String() != want) {
			t.Errorf("%q: %s, %v", text, s, err)
		}
	}
	s, _ := Parse("rapl,dcgm=http://user:secret@a")
	if s.Here().String() != "rapl" || s.Items[1].Shown() == s.Items[1].URL || strings.Contains(Redact(s.String()), "secret") {
		t.Error(s.Here(), s.Items[1].Shown(), Redact(s.String()))
	}
}

// tool writes a program into a folder of its own, which is where it is looked for.
func tool(t *testing.T, name, script string) *world {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return &world{machine: machine.At(t.TempDir(), "linux"), client: http.DefaultClient, look: func(program string) (string, error) {
		if program != name {
			return "", errors.New("not here")
		}
		return path, nil
	}}
}

// A driver that knows only the old name of the reasons is asked by it from then on.
func TestNvidiaOfAnOldDriver(t *testing.T) {
	w := tool(t, "nvidia-smi", `
echo "$1" >> "$0.log"
case "$1" in
*clocks_event_reasons*) echo 'Field "clocks_event_reasons.active" is not a valid field to query.'; exit 2;;
esac
echo "index, name, power.draw [W], clocks_throttle_reasons.active"
echo "0, Tesla T4, 27.93, 0x0000000000000004"
`)
	readers, why := w.open(Spec{Auto: true}, true)
	if len(readers) != 1 || why != "" {
		t.Fatal(readers, why)
	}
	for range 2 {
		list, err := readers[0].Ask(t.Context(), time.Now().Add(time.Hour))
		if err != nil || len(list) != 1 || *list[0].PowerW != 27.93 || fmt.Sprint(list[0].Throttle) != "[power]" {
			t.Fatal(list, err)
		}
		readers[0].rest = time.Time{}
	}
	path, _ := w.look("nvidia-smi")
	log, _ := os.ReadFile(path + ".log")
	if n := strings.Count(string(log), "\n"); n != 3 {
		t.Errorf("asked %d times:\n%s", n, log)
	}
}

// A tool that fails says so in its own words, without their escapes, and is left alone after some tries.
func TestAToolThatFails(t *testing.T) {
	w := tool(t, "nvidia-smi", "printf 'NVIDIA-SMI has failed\\033[31m because\\nmore'; exit 9")
	readers, _ := w.open(Spec{Items: []Item{{Kind: "nvidia-smi"}}}, false)
	r := readers[0]
	for i := range patience {
		_, err := r.Ask(t.Context(), time.Now())
		if err == nil || !strings.Contains(err.Error(), "exit status 9") || !strings.Contains(err.Error(), "NVIDIA-SMI has failed because") || strings.Contains(err.Error(), "\x1b") {
			t.Fatal(i, err)
		}
		r.rest = time.Time{}
	}
	if list, err := r.Ask(t.Context(), time.Now()); list != nil || err != nil || r.Last() {
		t.Error(list, err)
	}
	readers, _ = w.open(Spec{Items: []Item{{Kind: "rocm-smi"}}}, false)
	if _, err := readers[0].Ask(t.Context(), time.Now()); err == nil || !strings.Contains(err.Error(), "no rocm-smi in PATH") {
		t.Error(err)
	}
}

// A tool that hangs, with a child that holds its output, ends with its time.
func TestRealAToolThatHangs(t *testing.T) {
	w := tool(t, "nvidia-smi", "sleep 600 & sleep 600")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := (&nvidia{program: w.program("nvidia-smi")}).read(ctx)
	if err == nil || !strings.Contains(err.Error(), "did not answer in time") || time.Since(began) > 5*time.Minute {
		t.Error(err, time.Since(began))
	}
	w = tool(t, "nvidia-smi", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy || exit 1; done")
	if _, err := (&nvidia{program: w.program("nvidia-smi")}).read(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 8 MiB") {
		t.Error(err)
	}
}

// slow takes its time, by the clock of the test.
type slow struct{ takes time.Duration }

func (s slow) read(context.Context) ([]journal.Device, error) {
	time.Sleep(s.takes)
	return []journal.Device{{ID: "0", PowerW: some(1)}}, nil
}

// A source that takes long is asked less often.
func TestASlowSourceRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &Reader{Name: "slow", source: slow{20 * time.Millisecond}}
		now := time.Now()
		asked := 0
		for i := range 20 {
			if list, _ := r.Ask(t.Context(), now.Add(time.Duration(i)*50*time.Millisecond)); list != nil {
				asked++
			}
		}
		if asked != 5 { // each 200 ms
			t.Errorf("asked %d times in 1 s", asked)
		}
		if !r.Last() {
			t.Error("it has answered")
		}
	})
}

func TestAuto(t *testing.T) {
	nothing := &world{machine: machine.At(t.TempDir(), "linux"), look: func(string) (string, error) { return "", errors.New("none") }}
	for _, tt := range []struct {
		name  string
		world *world
		local bool
		want  string
		why   string
	}{
		{"a machine that tells nothing", nothing, true, "[]", "this machine has nothing"},
		{"a server elsewhere", &world{machine: tree(t, "amd-one-sensor", "intel"), look: nothing.look}, false, "[]", "not on this machine"},
		{"a workstation", &world{machine: tree(t, "amd-one-sensor", "intel"), look: nothing.look}, true, "[sysfs rapl]", ""},
		{"all of AMD's tools", &world{machine: tree(t, "amd-one-sensor"), look: func(string) (string, error) { return "/x", nil }}, true, "[nvidia-smi amd-smi sysfs]", ""},
	} {
		readers, why := tt.world.open(Spec{Auto: true}, tt.local)
		names := []string{}
		for _, r := range readers {
			names = append(names, r.Name)
		}
		if fmt.Sprint(names) != tt.want || (tt.why == "") != (why == "") || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %v, %q", tt.name, names, why)
		}
	}
	readers, _ := nothing.open(Spec{Items: []Item{{"dcgm", "http://a"}, {"dcgm", "http://b"}}}, false)
	if readers[0].Name != "dcgm" || readers[1].Name != "dcgm-2" {
		t.Error(readers[0].Name, readers[1].Name)
	}
}

func TestLocal(t *testing.T) {
	own := []net.Addr{&net.IPNet{IP: net.ParseIP("192.0.2.7"), Mask: net.CIDRMask(24, 32)}, &net.IPNet{IP: net.ParseIP("fe80::1"), Mask: net.CIDRMask(64, 128)}}
	lookup := func(host string) ([]netip.Addr, error) {
		switch host {
		case "localhost":
			return []netip.Addr{netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.1")}, nil
		case "both":
			return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.8")}, nil
		}
		a, err := netip.ParseAddr(host)
		return []netip.Addr{a}, err
	}
	for servers, want := range map[string]bool{
		"http://127.0.0.1:8000": true, "http://localhost": true, "http://192.0.2.7": true, "http://[fe80::1%25eth0]:1": true, "http://0.0.0.0:80": true,
		"http://192.0.2.8": false, "http://both": false, "http://nobody": false, "": false, "http://127.0.0.1 http://192.0.2.9": false,
	} {
		if got := local(strings.Fields(servers), own, lookup); got != want {
			t.Errorf("%s: %v", servers, got)
		}
	}
}

// An exporter as a server: its page, an error, and one that is none.
func TestExporter(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/metrics":
			_, _ = w.Write(read(t, "exporters/dcgm-a100-mig.prom"))
		case "/other":
			_, _ = w.Write([]byte("up 1\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	w := &world{client: server.Client()}
	for path, want := range map[string]string{"": "", "/other": "tells of no device", "/none": "HTTP 404"} {
		s, err := Parse("dcgm=" + server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		readers, _ := w.open(s, false)
		list, err := readers[0].Ask(t.Context(), time.Now())
		if want == "" && (err != nil || len(list) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, %v", path, list, err)
		}
	}
}

// RAPL's counter goes over its end, and what is told counts on.
func TestRAPLCountsOn(t *testing.T) {
	m := tree(t, "intel")
	e := &energy{machine: m}
	var got []float64
	for _, uj := range []string{"262143000000", "262143328849", "999999"} {
		put(t, m.Path(""), "sys/class/powercap/intel-rapl:0/energy_uj", uj+"\n")
		put(t, m.Path(""), "sys/class/powercap/intel-rapl:0:0/name", "dram\n")
		list, err := e.read(t.Context())
		if err != nil || len(list) != 2 || list[1].ID != "dram-0" {
			t.Fatal(list, err)
		}
		got = append(got, *list[0].EnergyJ)
	}
	if got[0] != 262143 || got[1]-got[0] > 0.4 || got[2]-got[1] < 0.99 || got[2]-got[1] > 1.01 {
		t.Error(got)
	}
}

// A processor is throttled where its counters grew between two readings.
func TestProcessorsThrottle(t *testing.T) {
	m := tree(t, "intel")
	p := newPackages(m)
	var got []string
	for _, count := range []string{"30", "30", "31"} {
		put(t, m.Path(""), "sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count", count)
		for _, d := range p.read() {
			got = append(got, fmt.Sprint(d.Throttle))
		}
	}
	if fmt.Sprint(got) != "[[] [] [] [] [thermal] []]" {
		t.Error(got)
	}
}
