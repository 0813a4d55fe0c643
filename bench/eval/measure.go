package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	runs "github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli"
	"github.com/inferometer/inferometer/internal/eval/changes"
	"github.com/inferometer/inferometer/internal/eval/score"
	"github.com/inferometer/inferometer/internal/eval/task"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/answers"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// bench is what is measured, and the files that it needs.
type bench struct {
	seeds, questions int
	accuracy, worse  float64
	seed             uint64
	progress         io.Writer

	http int // so many of the seeds are asked over HTTP by the command; the others are drawn and scored in this process

	dir     string
	lines   []answers.Line // of the key that eval --write-key made
	task    *journal.Task
	asked   []journal.Question
	prompts []string
}

// tally counts.
type tally struct {
	evals, holds int
	pairs        int
	told, alarms int // of pairs that differ, and of pairs that do not
	http         int // evals over HTTP
	took         time.Duration
}

const taskFile = `name: letters
kind: generate
question: "Question {{number}}: which letter is it?\nAnswer:"
answer: "{{answer}}"
options: "4"
generation: {max_tokens: 32}
scores:
  - name: letter
    metric: exact_match
    filters: [{function: regex, pattern: "answer is \\(([A-D])\\)"}, {function: take_first}]
`

// open makes a task and its key.
func (b *bench) open() (err error) {
	if b.dir, err = os.MkdirTemp("", "bench-eval-*"); err != nil {
		return err
	}
	var rows bytes.Buffer
	for i := range b.questions {
		fmt.Fprintf(&rows, `{"number":%d,"answer":"%c"}`+"\n", i, 'A'+i%4)
	}
	for name, content := range map[string][]byte{"task.yaml": []byte(taskFile), "rows.jsonl": rows.Bytes()} {
		if err := os.WriteFile(filepath.Join(b.dir, name), content, 0o600); err != nil {
			return err
		}
	}
	key := filepath.Join(b.dir, "key.jsonl")
	if _, err := b.command(b.asking("--write-key", key)...); err != nil {
		return err
	}
	raw, err := os.ReadFile(key)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(raw) {
		var l answers.Line
		if err := json.Unmarshal(line, &l); err != nil {
			return err
		}
		b.lines = append(b.lines, l)
	}
	return b.openTask()
}

// openTask reads the task in this process, for what is not asked over HTTP.
func (b *bench) openTask() error {
	one, err := task.Load(filepath.Join(b.dir, "task.yaml"))
	if err != nil {
		return err
	}
	set, err := one.Open(task.Options{Data: filepath.Join(b.dir, "rows.jsonl")})
	if err != nil {
		return err
	}
	defer set.Close()
	b.task = set.Task()
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return err
		}
		b.asked, b.prompts = append(b.asked, item.Question), append(b.prompts, item.Prompt)
	}
	return nil
}

func (b *bench) Close() { _ = os.RemoveAll(b.dir) }

func (b *bench) asking(more ...string) []string {
	return append([]string{"eval", "--task", filepath.Join(b.dir, "task.yaml"), "--dataset-path", filepath.Join(b.dir, "rows.jsonl")}, more...)
}

// command is inferometer in this process; it gives what was printed.
func (b *bench) command(args ...string) (string, error) {
	var out, words bytes.Buffer
	code := cli.Main(context.Background(), args, strings.NewReader(""), &out, &words)
	// The times of a run on a busy machine are no ground to compare on; the answers are.
	busy := args[0] == "compare" && code == runs.ExitUndecided
	if code != 0 && !busy {
		return "", fmt.Errorf("inferometer %s: exit code %d: %s", strings.Join(args, " "), code, words.String())
	}
	return out.String(), nil
}

// measure has three servers for each seed: a good one, a worse one, and one as good as the first.
func (b *bench) measure(agreement float64) (*tally, error) {
	t := &tally{}
	for i := range b.seeds {
		luck := random.Mix(b.seed, uint64(i)) + uint64(1000*agreement)
		key, err := b.key(luck)
		if err != nil {
			return nil, err
		}
		var folders [3]string
		var results [3]*score.Result
		for k, accuracy := range []float64{b.accuracy, b.accuracy - b.worse, b.accuracy} {
			s := answers.Settings{Key: key, Accuracy: accuracy, Agreement: agreement, Seed: random.Mix(luck, uint64(k))}
			results[k] = b.direct(&s)
			if a := results[k].Scores[0]; k == 0 { // the others share its luck, where there is agreement
				t.evals++
				if *a.Low <= accuracy && accuracy <= *a.High {
					t.holds++
				}
			}
			if i >= b.http {
				continue
			}
			folders[k] = filepath.Join(b.dir, fmt.Sprint("run", k))
			if err := os.RemoveAll(folders[k]); err != nil {
				return nil, err
			}
			if err := b.ask(t, &s, folders[k], results[k]); err != nil {
				return nil, err
			}
		}
		if err := b.pair(t, results, folders, i < b.http); err != nil {
			return nil, err
		}
		if b.progress != nil && i < b.http && i%20 == 19 {
			fmt.Fprintf(b.progress, "agreement %.1f, %d of %d\n", agreement, i+1, b.seeds)
		}
	}
	return t, nil
}

// pair holds the first server against the two others; over HTTP by the command, which has to
// come to the same.
func (b *bench) pair(t *tally, results [3]*score.Result, folders [3]string, http bool) error {
	t.pairs++
	for k, count := range map[int]*int{1: &t.told, 2: &t.alarms} {
		c, err := changes.Of(results[0], results[k])
		if err != nil {
			return err
		}
		if c.Real {
			*count++
		}
		if !http {
			continue
		}
		if told, err := b.apart(folders[0], folders[k]); err != nil || told != c.Real {
			return fmt.Errorf("compare tells servers apart: %t; McNemar's p is %.4f: %w", told, c.P, err)
		}
	}
	return nil
}

// direct is what a server says, scored without HTTP between.
func (b *bench) direct(s *answers.Settings) *score.Result {
	c := score.NewCollector(b.task)
	for i := range b.asked {
		l := s.Key.Find(b.prompts[i])
		a := journal.Answer{Index: i, Question: b.asked[i], Outcome: journal.Complete, FinishReason: "stop", Text: s.Question(l.Question).Text(l)}
		c.Add(&a)
	}
	return c.Result()
}

// key gives the questions other names: what is common to all servers is drawn by them, and
// has to be drawn anew for each trial.
func (b *bench) key(luck uint64) (*answers.Key, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	for i, l := range b.lines {
		l.Question = fmt.Sprintf("%d/%d", luck, i)
		if err := e.Encode(&l); err != nil {
			return nil, err
		}
	}
	return answers.Read(&buf)
}

// ask starts a server and asks it over HTTP. What comes back has to be what it was told to say.
func (b *bench) ask(t *tally, s *answers.Settings, folder string, told *score.Result) error {
	cfg := sim.DefaultConfig()
	cfg.Answers, cfg.TTFT, cfg.ITL, cfg.TokensPerChunk = s, random.Constant(0), random.Constant(0), 16
	server, err := sim.New(cfg, nil)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, l) }()
	began := time.Now()
	out, err := b.command(b.asking("--base-url", "http://"+l.Addr().String(), "--run-dir", folder, "--max-concurrency", "16", "--format", "json", "--quiet", "--progress", "none")...)
	t.took += time.Since(began)
	stop()
	if stopped := <-ended; err == nil {
		err = stopped
	}
	if err != nil {
		return err
	}
	var result struct {
		Inferometer struct {
			Eval struct {
				Answered int `json:"answered"`
				Scores   []struct {
					Low, High float64
				} `json:"scores"`
				Each struct {
					Right string `json:"right"`
				} `json:"each"`
			} `json:"eval"`
		} `json:"inferometer"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		return err
	}
	e := result.Inferometer.Eval
	if len(e.Scores) != 1 || e.Answered != b.questions || server.Unknown() != 0 {
		return fmt.Errorf("%d of %d questions were answered, %d were not in the key", e.Answered, b.questions, server.Unknown())
	}
	if a := told.Scores[0]; e.Each.Right != told.Each.Right || e.Scores[0].Low != *a.Low || e.Scores[0].High != *a.High {
		return fmt.Errorf("over HTTP the answers are %s, and the server was told %s", e.Each.Right, told.Each.Right)
	}
	t.http++
	return nil
}

// apart says whether compare calls the difference of two runs real.
func (b *bench) apart(first, second string) (bool, error) {
	out, err := b.command("compare", first, second, "--format", "json")
	if err != nil {
		return false, err
	}
	var found struct {
		Accuracy struct {
			Sides []struct {
				Change *struct {
					Questions int    `json:"questions"`
					Call      string `json:"call"`
				} `json:"change"`
			} `json:"sides"`
		} `json:"accuracy"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return false, err
	}
	sides := found.Accuracy.Sides
	if len(sides) != 2 || sides[1].Change == nil || sides[1].Change.Questions != b.questions {
		return false, fmt.Errorf("compare paired nothing: %s", out)
	}
	return sides[1].Change.Call == "real", nil
}
