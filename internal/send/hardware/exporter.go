package hardware

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// maxPage is what an exporter may answer with.
const maxPage = 16 << 20

// exporter is a page in Prometheus' text format.
type exporter struct {
	client *http.Client
	url    string
	devices
}

// devices makes them of a page's lines.
type devices interface {
	of(lines []line) []journal.Device
}

// line is one of a page.
type line = exposition.Sample

func (e *exporter) read(ctx context.Context) ([]journal.Device, error) {
	b, status, err := get(ctx, e.client, e.url, "the exporter")
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, fmt.Errorf("the exporter answers with HTTP %d", status)
	}
	list := e.page(b)
	if len(list) == 0 {
		return nil, errors.New("the exporter's page tells of no device: is it the right kind?")
	}
	return list, nil
}

// get asks a server, which errors name by a word.
func get(ctx context.Context, client *http.Client, url, whom string) (body []byte, status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("ask %s: %w", whom, err)
	}
	resp, err := client.Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, 0, fmt.Errorf("%s did not answer in time", whom)
	case err != nil:
		return nil, 0, fmt.Errorf("ask %s: %s", whom, outside.Sentence(err.Error()))
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxPage+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("%s's answer broke off", whom)
	case len(b) > maxPage:
		return nil, 0, fmt.Errorf("%s's page is longer than %d MiB", whom, maxPage>>20)
	}
	return b, resp.StatusCode, nil
}

func (e *exporter) page(b []byte) []journal.Device {
	return bounded(e.of(exposition.Parse(b).Samples))
}

// board is what a page says of one device: values by the name of the metric, of which the
// first one counts.
type board struct {
	id     string
	first  *line
	values map[string]float64
}

func (b *board) get(names ...string) *float64 {
	for _, name := range names {
		if v, ok := b.values[name]; ok {
			return &v
		}
	}
	return nil
}

// boards puts lines together by device, in the order of the page. key says which device a line
// is of and by which name its value is kept; empty: neither.
func boards(lines []line, key func(l *line) (id, name string)) []*board {
	var list []*board
	byID := map[string]*board{}
	for i := range lines {
		l := &lines[i]
		id, name := key(l)
		if id == "" {
			continue
		}
		b := byID[id]
		if b == nil {
			if len(list) == maxDevices {
				continue
			}
			b = &board{id: id, first: l, values: map[string]float64{}}
			byID[id] = b
			list = append(list, b)
		}
		if _, known := b.values[name]; !known {
			b.values[name] = l.Value
		}
	}
	return list
}
