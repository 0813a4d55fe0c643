package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// runNumberKey marks a result as whole: it is set when its benchmark has ended well.
const runNumberKey = "run_number"

// readRecord reads a result; nil if there is none.
func readRecord(file string) (Object, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := parseJSON(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	o, ok := v.(Object)
	if !ok {
		return nil, fmt.Errorf("%s is no result: it holds no JSON object", file)
	}
	return o, nil
}

// finishedRecord reads a result that an earlier sweep has finished; nil if there is
// none. One that its benchmark wrote while it was being stopped has no run number.
func finishedRecord(file string) (Object, error) {
	o, err := readRecord(file)
	if err != nil {
		return nil, fmt.Errorf("%w; remove it to run it again", err)
	}
	if !o.Has(runNumberKey) {
		return nil, nil
	}
	return o, nil
}

// complete adds to a result what it was measured with.
func (c *comb) complete(o Object, run int) Object {
	o = o.With(Object{{runNumberKey, json.Number(strconv.Itoa(run))}})
	return o.With(Object(c.serve)).With(Object(c.bench))
}
