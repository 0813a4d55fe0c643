package lengths

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/send/trace"
)

// empirical is the distribution of what a file holds: a column of a trace, or a whole
// number on each line.
func empirical(path string, of Column) (quantile, error) {
	counts := map[int]int{}
	add := func(n int) {
		if n > 0 {
			counts[min(n, Most)]++
		}
	}
	t, err := trace.Open("", path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, err
	case err != nil: // no trace
		err = readNumbers(path, add)
	default:
		err = readTrace(t, of, add)
	}
	if err != nil {
		return nil, err
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("%s has no length above 0", path)
	}
	values := slices.Sorted(maps.Keys(counts))
	sums := make([]float64, len(values))
	sum := 0.0
	for i, v := range values {
		sum += float64(counts[v])
		sums[i] = sum
	}
	return bySums(sums, func(i int) float64 { return float64(values[i]) }), nil
}

func readTrace(t *trace.Trace, of Column, add func(int)) error {
	from := t.Rows()
	defer from.Close()
	var r trace.Row
	for {
		err := from.Next(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case r.Failed, of == Input && r.NoInput, of != Input && r.NoOutput:
		case of == Input:
			add(r.Input)
		default:
			add(r.Output)
		}
	}
}

func readNumbers(path string, add func(int)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("%s is no trace that is known here, and its line %d is no whole number", path, number)
		}
		add(n)
	}
	return lines.Err()
}
