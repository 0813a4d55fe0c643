package wire

import "testing"

func TestReadEnds(t *testing.T) {
	record := func(n int) string {
		return "\x17\x03\x03" + string([]byte{byte(n >> 8), byte(n)}) + string(make([]byte, n))
	}
	for _, tt := range []struct {
		name  string
		reads []string
		open  []bool
	}{
		{"lines", []string{"HTTP/1.1 200 OK\r\n", "data: a\n\n\r\n1", "f\r\n"}, []bool{false, true, false}},
		{"whole records", []string{record(3), record(300) + record(0)}, []bool{false, false}},
		{"a part of a record", []string{record(300)[:100], record(300)[100:] + record(2)[:4], record(2)[4:]}, []bool{true, true, false}},
		{"nothing", []string{""}, []bool{false}},
	} {
		var e readEnds
		for i, read := range tt.reads {
			if got := e.open([]byte(read)); got != tt.open[i] {
				t.Errorf("%s, read %d: open %v", tt.name, i, got)
			}
		}
	}
}
