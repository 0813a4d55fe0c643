package hardware

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

func TestParsePower(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"350", "350 false"},
		{"350W", "350 false"},
		{"rapl", "0 true"},
		{"prometheus:http://host:9090?query=sum(DCGM_FI_DEV_POWER_USAGE)", "0 false http://host:9090/api/v1/query?query=sum%28DCGM_FI_DEV_POWER_USAGE%29"},
		{"prometheus:https://host/prom/?query=a%7Bb%3D%22c%22%7D+2", "0 false https://host/prom/api/v1/query?query=a%7Bb%3D%22c%22%7D%2B2"},
		{"prometheus:http://host/api/v1/query?query=a", "0 false http://host/api/v1/query?query=a"},
		{"prometheus:host?query=a", ""},
		{"prometheus:http://host", ""},
		{"prometheus:http://host?query=", ""},
		{"much", ""},
		{"-3", ""},
		{"0", ""},
		{"NaN", ""},
	} {
		s, err := ParsePower(tt.text)
		got := fmt.Sprintf("%g %v", s.Watts, s.RAPL)
		if s.Prometheus != nil {
			got += " " + s.Prometheus.URL
		}
		if tt.want == "" && err == nil || tt.want != "" && (got != tt.want || err != nil) {
			t.Errorf("%s: %s, %v; want %s", tt.text, got, err, tt.want)
		}
	}
}

func TestANumber(t *testing.T) {
	if r := (Power{Watts: 350}).Start(2, nil).Stop(); *r != (journal.Power{Source: PowerNumber, Watts: 700}) {
		t.Errorf("%+v", r)
	}
}

// twoPackages is a machine with two packages, their parts, and the platform.
func twoPackages(t *testing.T) (m *machine.Machine, set func(domain string, uj uint64)) {
	t.Helper()
	m = machine.At(t.TempDir(), "linux")
	write := func(domain, file, text string) { put(t, m.Path(""), "sys/class/powercap/"+domain+"/"+file, text+"\n") }
	set = func(domain string, uj uint64) { write(domain, "energy_uj", fmt.Sprint(uj)) }
	for domain, name := range map[string]string{
		"intel-rapl:0": "package-0", "intel-rapl:0:0": "core", "intel-rapl:0:1": "dram", "intel-rapl:1": "package-1", "intel-rapl:2": "psys", "intel-rapl": "",
	} {
		write(domain, "name", name)
		write(domain, "max_energy_range_uj", "999999999")
		set(domain, 0)
	}
	return m, set
}

// measured starts a meter at a source.
func measured(s source) *Meter {
	m := &Meter{}
	m.start(s)
	return m
}

func TestPowerOfRAPL(t *testing.T) {
	m, set := twoPackages(t)
	synctest.Test(t, func(t *testing.T) {
		set("intel-rapl:0", 900_000_000)
		set("intel-rapl:1", 5_000_000)
		meter := measured(&energy{machine: m})
		synctest.Wait()                 // the first reading
		set("intel-rapl:0", 50_000_000) // over its end: 100 J and 50 J
		set("intel-rapl:0:0", 77_000_000)
		set("intel-rapl:0:1", 66_000_000)
		set("intel-rapl:2", 88_000_000)
		set("intel-rapl:1", 25_000_000) // 20 J
		time.Sleep(1500 * time.Millisecond)
		set("intel-rapl:1", 55_000_000) // 30 J
		time.Sleep(500 * time.Millisecond)
		if r := meter.Stop(); r.Reason != "" || math.Abs(r.Watts-100) > 1e-3 {
			t.Errorf("%+v, want 100 W", r)
		}
	})
}

func TestRAPLThatIsNotThere(t *testing.T) {
	r := measured(&energy{machine: machine.At(t.TempDir(), "linux")}).Stop()
	if r.Watts != 0 || !strings.Contains(r.Reason, "shows no RAPL counters") {
		t.Errorf("%+v", r)
	}
	m, _ := twoPackages(t)
	if err := os.Remove(filepath.Join(m.Path("sys/class/powercap"), "intel-rapl:0", "energy_uj")); err != nil {
		t.Fatal(err)
	}
	if r := measured(&energy{machine: m}).Stop(); r.Reason == "" {
		t.Errorf("%+v", r)
	}
}

// A real server that speaks Prometheus' API.
func TestPrometheus(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/query" || r.FormValue("query") != `sum by (gpu) (power{job="a"})` {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"parse error"}`)
			return
		}
		n := asked.Add(1)
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{"gpu":"0"},"value":[1435781451.781,"%d"]},{"metric":{"gpu":"1"},"value":[1435781451.781,"100.5"]}]}}`, 100*n)
	}))
	defer server.Close()
	s, err := ParsePower("prometheus:" + server.URL + `?query=sum by (gpu) (power{job="a"})`)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Start(8, server.Client()).Stop() // read at the start and at the end
	if r.Source != PowerPrometheus || r.Reason != "" || r.Watts != 250.5 {
		t.Errorf("%+v", r)
	}
	s.Prometheus.URL = server.URL + "/api/v1/query?query=nonsense"
	if r := s.Start(1, server.Client()).Stop(); !strings.Contains(r.Reason, "HTTP 400") || !strings.Contains(r.Reason, "parse error") {
		t.Errorf("%+v", r)
	}
}

func TestParseAnswer(t *testing.T) {
	for _, tt := range []struct {
		text string
		want float64
		err  string
	}{
		{`{"status":"success","data":{"resultType":"scalar","result":[1,"42.5"]}}`, 42.5, ""},
		{`{"status":"success","data":{"resultType":"vector","result":[]}}`, 0, "gives nothing"},
		{`{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"NaN"]}]}}`, 0, "no number"},
		{`{"status":"success","data":{"resultType":"matrix","result":[]}}`, 0, `gives a "matrix"`},
		{`<html>`, 0, "can't be read"},
	} {
		v, err := parseAnswer([]byte(tt.text))
		if v != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, %v", tt.text, v, err)
		}
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(`{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"2"]}]}}`))
	f.Add([]byte(`{"status":"success","data":{"resultType":"scalar","result":[1,2]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := parseAnswer(b); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) && len(b) < 300 {
			t.Errorf("%q: %v", b, v)
		}
	})
}

// ticking counts its readings.
type ticking struct{ readings []time.Duration }

func (c *ticking) read(context.Context) ([]journal.Device, error) {
	c.readings = append(c.readings, time.Duration(time.Now().UnixMilli())*time.Millisecond)
	return []journal.Device{{PowerW: some(float64(len(c.readings)))}}, nil
}

// A meter is read at the start, each second, and at the end; of powers it is the mean.
func TestReadsEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &ticking{}
		m := measured(c)
		time.Sleep(2500 * time.Millisecond)
		r := m.Stop()
		for i := range c.readings[1:] {
			c.readings[i+1] -= c.readings[0]
		}
		if r.Watts != 2.5 || fmt.Sprint(c.readings[1:]) != "[1s 2s 2.5s]" {
			t.Errorf("%+v, %v", r, c.readings)
		}
	})
}
