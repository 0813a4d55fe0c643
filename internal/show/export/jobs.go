package export

import (
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/show/parquet"
)

// jobColumns are those of the table of jobs: one row for each conversation, in the order in which they ended.
func jobColumns() []parquet.Column {
	return []parquet.Column{
		{Name: "run", Type: parquet.Text},
		{Name: "job", Type: parquet.Int},
		{Name: "trace", Type: parquet.Text},
		{Name: "play", Type: parquet.Int},
		{Name: "outcome", Type: parquet.Text},
		{Name: "begin_s", Type: parquet.Float},
		{Name: "end_s", Type: parquet.Float},
		{Name: "time_ms", Type: parquet.Float},
		{Name: "pause_ms", Type: parquet.Float},
		{Name: "idle_skipped_ms", Type: parquet.Float},
		{Name: "agents", Type: parquet.Int},
		{Name: "turns_before", Type: parquet.Int},
		{Name: "turns", Type: parquet.Int},
		{Name: "sent", Type: parquet.Int},
		{Name: "complete", Type: parquet.Int},
		{Name: "error", Type: parquet.Text},
	}
}

// seeJobs gives the row of each conversation. Only a complete one has a time.
func seeJobs(j *journal.Reader, add func(values ...any)) func(*journal.Request) error {
	j.OnConversation(func(c *journal.Conversation) {
		var took, trace, play any
		if c.Outcome == journal.ConversationComplete && c.Before == 0 {
			took = millis(c.End - c.Begin)
		}
		if c.Trace != "" {
			trace, play = text(c.Trace), int64(c.Play)
		}
		add(int64(c.Number), trace, play, string(c.Outcome), row.Seconds(c.Begin), row.Seconds(c.End), took, millis(c.Think), millis(c.IdleSkipped),
			int64(max(len(c.Branches), 1)), int64(c.Before), int64(c.Turns), int64(c.Sent), int64(c.Complete), text(c.Error))
	})
	return nil
}
