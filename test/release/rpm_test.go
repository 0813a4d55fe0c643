package release

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
)

// The header of the .rpm names each file. There is no rpm here to install it with: a
// header has its folders and names as plain strings, which are looked for.
func TestRPM(t *testing.T) {
	content, err := os.ReadFile(one(t, "*_linux_"+runtime.GOARCH+".rpm"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(content, []byte{0xed, 0xab, 0xee, 0xdb}) {
		t.Fatal("it does not begin as an .rpm")
	}
	for _, path := range installed {
		cut := strings.LastIndexByte(path, '/') + 1
		for _, part := range []string{path[:cut], path[cut:]} {
			if !bytes.Contains(content, []byte(part+"\x00")) {
				t.Errorf("the header has no %s", part)
			}
		}
	}
	if host, err := os.Hostname(); err == nil && len(host) > 6 && bytes.Contains(content, []byte("\x00"+host+"\x00")) {
		t.Errorf("it names the machine that built it, %s", host)
	}
}
