package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/compare"
	"github.com/inferometer/inferometer/internal/judge/history"
	"github.com/inferometer/inferometer/internal/judge/result"
	"github.com/inferometer/inferometer/internal/show/page"
)

// The paths of pages.
const indexPath = "index.html"

func seriesPath(s *history.Series) string { return "series/" + s.ID + ".html" }

func metricPath(s *history.Series, metric string) string {
	return "series/" + s.ID + "/" + metricFile(metric) + ".html"
}

func runPath(r *history.Run) string { return "run/" + r.ID + ".html" }

func comparePath(a, b *history.Run) string { return "compare/" + a.ID + "-" + b.ID + ".html" }

var plainMetric = regexp.MustCompile(`^[a-z0-9_]+(?:\.[0-9_a-z]+)?$`)

// metricFile is a metric's name in a path: names come from files, and may be anything.
func metricFile(metric string) string {
	if plainMetric.MatchString(metric) && len(metric) < 64 {
		return metric
	}
	sum := sha256.Sum256([]byte(metric))
	return "m-" + hex.EncodeToString(sum[:6])
}

// up leads from a page to the root of the site.
func up(path string) string { return strings.Repeat("../", strings.Count(path, "/")) }

const id = `([0-9a-f]{12})`

var (
	seriesPattern  = regexp.MustCompile(`^series/` + id + `\.html$`)
	metricPattern  = regexp.MustCompile(`^series/` + id + `/([^/]+)\.html$`)
	runPattern     = regexp.MustCompile(`^run/` + id + `\.html$`)
	comparePattern = regexp.MustCompile(`^compare/` + id + `-` + id + `\.html$`)
)

// Page is the page at a path, without a slash before it.
func (s *Site) Page(ctx context.Context, path string, now time.Time) ([]byte, error) {
	st, err := s.look(now)
	if err != nil {
		return nil, err
	}
	return s.page(ctx, st, path)
}

func (s *Site) page(ctx context.Context, st *state, path string) ([]byte, error) {
	var d *page.Document
	var err error
	if path == indexPath {
		d = s.index(st)
	} else if m := seriesPattern.FindStringSubmatch(path); m != nil && st.byID[m[1]] != nil {
		d, err = s.seriesPage(st.byID[m[1]], path)
	} else if m := metricPattern.FindStringSubmatch(path); m != nil && st.byID[m[1]] != nil {
		d, err = s.metricPage(st.byID[m[1]], m[2], path)
	} else if m := runPattern.FindStringSubmatch(path); m != nil && st.runs[m[1]] != nil {
		if r := st.runs[m[1]]; r.Folder != "" && s.opt.Report != nil {
			return s.report(ctx, st, r, path)
		}
		d = s.otherRun(st, st.runs[m[1]], path)
	} else if m := comparePattern.FindStringSubmatch(path); m != nil && st.runs[m[1]] != nil && st.runs[m[2]] != nil {
		d, err = s.comparePage(ctx, st, st.runs[m[1]], st.runs[m[2]], path)
	} else {
		return nil, errNotFound
	}
	if err != nil {
		return nil, err
	}
	d.Version, d.Forms = s.opt.Version, !s.opt.Static
	var b bytes.Buffer
	err = d.Write(&b)
	return b.Bytes(), err
}

// metricsOf are the metrics of a series, in the order of a comparison's table.
func metricsOf(s *history.Series) []compare.Metric {
	list := make([]result.Result, len(s.Runs))
	for i := range s.Runs {
		list[i] = s.Runs[i].Result
	}
	return compare.MetricsOf(list)
}
