package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// Run is the summary of a run in a folder: its numbers, and when it was made. The
// values of single requests are not in it.
type Run struct {
	result.Result        // Path is slash-separated and begins at the folder that was searched
	ID            string // by its place: the same after a restart, and safe in an address
	Index         int    // among the runs of its file
	Folder        string // with its journal; empty if there is none
	Start         time.Time
	StartKnown    bool   // false: no date was told, and Start is the time of the file
	Commit        string // from the metadata
	CommitTime    time.Time
}

// Metadata that name a commit and its time; the first that is there counts.
var (
	commitKeys     = []string{"commit", "git_sha", "git_commit", "commit_sha", "commit_id", "sha", "revision"}
	commitTimeKeys = []string{"commit_time", "commit_date", "commit_timestamp"}
)

// newRun makes the summary of a result that was found.
func newRun(r result.Result, path string, index int, folder string, modified time.Time) Run {
	r.Path, r.Samples, r.Intervals, r.Numbers, r.Notes = path, nil, nil, nil, nil // summaries stay small
	r.Values = maps.Clone(r.Values)
	for _, few := range r.Facts.Unsupported { // a percentile that no table shows is no point of a chart either
		delete(r.Values, few)
		delete(r.Values, few+"_ms")
	}
	out := Run{Result: r, ID: shortHash(fmt.Sprintf("%s#%d", path, index)), Index: index, Folder: folder, Start: modified}
	if at, ok := parseTime(r.Facts.Date); ok {
		out.Start, out.StartKnown = at, true
	}
	out.Commit = first(r.Metadata, commitKeys)
	out.CommitTime, _ = parseTime(first(r.Metadata, commitTimeKeys))
	return out
}

// ShortCommit is a commit as people write it.
func (r *Run) ShortCommit() string {
	const usual, whole = 9, 40
	if len(r.Commit) >= whole && strings.Trim(r.Commit, "0123456789abcdef") == "" {
		return r.Commit[:usual]
	}
	return r.Commit
}

// Counts says whether a run's numbers may stand for what was measured.
func (r *Run) Counts() bool { return r.Facts.Verdict != "INVALID" }

func first(metadata map[string]string, keys []string) string {
	for _, want := range keys {
		for key, value := range metadata {
			if strings.EqualFold(key, want) && value != "" {
				return value
			}
		}
	}
	return ""
}

// The forms of a date in results: vLLM's, then what others write. A time without a
// zone is taken as UTC: what counts is the order.
var dateForms = []string{"20060102-150405", time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999", "2006-01-02"}

func parseTime(text string) (time.Time, bool) {
	for _, form := range dateForms {
		if at, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
