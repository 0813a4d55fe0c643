package measure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// shared reads a JSON file of the folder beside the checkout, or skips.
func shared(t *testing.T, into any, path ...string) {
	t.Helper()
	name := filepath.Join(append([]string{"..", "..", "..", "shared"}, path...)...)
	b, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there: this test compares with files that lie beside the checkout", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}
