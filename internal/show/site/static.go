package site

import (
	"context"
	"io/fs"
	"time"
)

// Write hands all pages and the results to write, one after the other: the site as
// files. What a server makes on demand is there for the newest two runs of a series.
func (s *Site) Write(ctx context.Context, now time.Time, write func(path string, data []byte) error) error {
	st, err := s.look(now)
	if err != nil {
		return err
	}
	for _, path := range s.paths(st) {
		data, err := s.page(ctx, st, path)
		if err != nil {
			return err
		}
		if err := write(path, data); err != nil {
			return err
		}
	}
	for i := range st.series {
		for j := range st.series[i].Runs {
			r := &st.series[i].Runs[j]
			for _, name := range s.downloads(r) {
				data, err := fs.ReadFile(s.files, name)
				if err != nil {
					return err
				}
				if err := write(downloadPath(r, name), data); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// paths are the pages of the site as files.
func (s *Site) paths(st *state) []string {
	list := []string{indexPath}
	for i := range st.series {
		series := &st.series[i]
		list = append(list, seriesPath(series))
		for _, m := range metricsOf(series) {
			list = append(list, metricPath(series, m.Key))
		}
		for j := range series.Runs {
			list = append(list, runPath(&series.Runs[j]))
		}
		if n := len(series.Runs); n > 1 {
			list = append(list, comparePath(&series.Runs[n-2], &series.Runs[n-1]))
		}
	}
	return list
}
