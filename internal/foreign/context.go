package foreign

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/judge/result"
)

// textContext is what the text above a block says about it, as far as it has been read.
type textContext struct {
	headings [7]string // of Markdown, by level from 1
	level    int       // of the innermost
	section  int       // counts headings; 0: above the first
	fenced   bool
	part     string                // a heading of two # or more inside a fence
	comment  string                // the last line with one # inside the fence
	options  map[string]string     // of the command or Namespace since the last block, by name with _
	above    map[string]string     // of the last command further up
	env      string                // variables set for the last command
	drafts   *serverlog.SpecDecode // the last line of a server's log about speculative decoding
}

func newContext() *textContext { return &textContext{} }

var (
	flagWord  = regexp.MustCompile(`(?:^|\s)--?([a-zA-Z][a-zA-Z0-9_-]*)(?:[ =]+("[^"]*"|'[^']*'|[^\s-][^\s]*))?`)
	namespace = regexp.MustCompile(`([a-z_]+)=('[^']*'|[^,()\s]+)`)
	headLine  = regexp.MustCompile(`^\s*(#+)\s+(\S.*)$`)
	program   = regexp.MustCompile(`bench(mark_serving|_serving|\s+serve)|inferometer`)
	// A command of a bench names one of these; prose that only mentions the program does not.
	benchFlags = regexp.MustCompile(`\\$|--(model|num-prompts|dataset-name)\b`)
	// Variables stand before the program that they are set for.
	envWords = regexp.MustCompile(`((?:\b[A-Z][A-Z0-9_]*=[^\s;|&]+\s+)*)(?:\S*/)?(?:llama-(?:bench|server)|vllm|sglang|python3?|inferometer)\b\s`)
	console  = regexp.MustCompile(`^(Traffic request rate|Maximum request concurrency): (\S+)`)
	// Ways to say a concurrency in a heading or a comment.
	loadWord = regexp.MustCompile(`(?i)(?:\bc\s*=\s*|\bconcurrency\s*[=:]?\s*)([0-9]{1,7})\b`)
	loadOnly = regexp.MustCompile(`(?i)^[\s-]*(?:c|(?:max[-_ ])?concurrency)\s*[=:]?\s*[0-9]+\s*$`)
)

// programs are words of which a command has one: most lines have none, at little cost.
var programs = []string{"bench", "llama-", "vllm", "sglang", "python", "inferometer"}

// line takes note of the first of the lines, and returns how many it was: a command goes
// on over its continuations.
func (c *textContext) line(lines []string) int {
	line := lines[0]
	if strings.HasPrefix(strings.TrimSpace(line), "```") {
		if c.fenced = !c.fenced; c.fenced {
			c.part, c.comment = "", ""
		}
		return 1
	}
	if m := headLine.FindStringSubmatch(line); m != nil {
		c.head(len(m[1]), strings.TrimSpace(m[2]))
		return 1
	}
	if m := console.FindStringSubmatch(line); m != nil {
		c.option(map[string]string{"Traffic request rate": "request_rate", "Maximum request concurrency": "max_concurrency"}[m[1]], m[2])
		return 1
	}
	if strings.HasPrefix(line, "Namespace(") {
		c.options = nil
		for _, m := range namespace.FindAllStringSubmatch(line, -1) {
			c.option(m[1], strings.Trim(m[2], "'"))
		}
		return 1
	}
	if d, ok := serverlog.ParseSpecDecode(line); ok {
		c.drafts = &d
		return 1
	}
	if !slices.ContainsFunc(programs, func(word string) bool { return strings.Contains(line, word) }) {
		return 1
	}
	if m := envWords.FindStringSubmatch(line + " "); m != nil {
		c.env = strings.TrimSpace(m[1])
	}
	if program.MatchString(line) && benchFlags.MatchString(line) {
		text, used := joined(lines)
		c.options = nil
		c.option("bench", "serve")
		for _, m := range flagWord.FindAllStringSubmatch(text, -1) {
			c.option(strings.ReplaceAll(m[1], "-", "_"), strings.Trim(m[2], `'"`))
		}
		return used
	}
	return 1
}

// head takes note of a line with # at its beginning. Inside a fence one # is a comment,
// which names what follows; more are a heading of several comments.
func (c *textContext) head(level int, text string) {
	switch {
	case c.fenced && level == 1:
		c.comment = text
		if !loadOnly.MatchString(text) {
			c.part = ""
		}
	case c.fenced:
		c.part, c.comment = text, ""
	default:
		level = min(level, len(c.headings)-1)
		c.section++
		c.level, c.headings[level] = level, text
		clear(c.headings[level+1:])
		if level == 1 {
			c.above = nil
		}
	}
}

func (c *textContext) option(name, value string) {
	if c.options == nil {
		c.options = map[string]string{}
	}
	if value == "None" || strings.HasPrefix(value, "$") { // nothing, or a variable of the shell
		value = ""
	}
	c.options[name] = value
}

// next forgets what was said about the last block only.
func (c *textContext) next() {
	if c.options["num_prompts"] != "" {
		c.above = c.options
	}
	c.options, c.comment, c.env, c.drafts = nil, "", "", nil
}

// heading is the innermost one, with the one above it where it only tells the load.
func (c *textContext) heading() string {
	text := c.headings[c.level]
	if !loadOnly.MatchString(text) {
		return text
	}
	for level := c.level - 1; level > 0; level-- {
		if c.headings[level] != "" {
			return c.headings[level] + ": " + text
		}
	}
	return text
}

// name is the heading, the part and the comment, each once where they say the same.
func (c *textContext) name() string {
	name := c.heading()
	if c.part != "" && loadOnly.MatchString(c.comment) {
		return c.part + ": " + c.comment
	}
	for _, word := range []string{c.part, c.comment} {
		n, w := strings.ToLower(name), strings.ToLower(word)
		switch {
		case strings.Contains(w, n):
			name = word
		case !strings.Contains(n, w):
			name += ": " + word
		}
	}
	return name
}

// maxCommand is how many lines a command goes on at the most.
const maxCommand = 200

// joined is a command line with its continuations, and how many lines it takes. A
// backslash before a result or the end of a fence goes nowhere.
func joined(lines []string) (string, int) {
	var words []string
	for _, line := range lines[:min(len(lines), maxCommand)] {
		if len(words) > 0 && (strings.HasPrefix(line, "```") || consoleHead.MatchString(strings.TrimSpace(line))) {
			break
		}
		cut, more := strings.CutSuffix(strings.TrimSpace(line), `\`)
		words = append(words, cut)
		if !more {
			break
		}
	}
	return strings.Join(words, " "), len(words)
}

// into adds to a run what its block does not say itself.
func (c *textContext) into(r *result.Result) {
	r.Section = c.section
	f := &r.Facts
	f.Environment = c.env
	if r.Name == "" {
		r.Name = c.name()
	}
	if r.Tool == result.HandMade && f.Load() == "" {
		f.Concurrency = spokenLoad(c.headings[c.level])
	}
	if r.Tool != result.VLLMConsole {
		return
	}
	if c.drafts != nil {
		r.SetKnown("spec_decode_acceptance_rate", 100*c.drafts.Rate)
		r.SetKnown("spec_decode_acceptance_length", c.drafts.Length)
	}
	spoken := spokenLoad(c.comment)
	if spoken == 0 {
		spoken = spokenLoad(c.part)
	}
	options := c.options
	if options["num_prompts"] == "" && f.Completed > 0 && integer(c.above["num_prompts"]) == f.Completed {
		// One command for many results: it is this one's if as many requests completed.
		options = c.above
	} else if f.Concurrency == 0 {
		f.Concurrency = integer(options["max_concurrency"])
	}
	if f.Concurrency == 0 {
		f.Concurrency = spoken
	}
	if f.Concurrency == 0 {
		f.Concurrency = integer(options["max_concurrency"])
	}
	if f.Concurrency == 0 {
		f.Concurrency = spokenLoad(c.headings[c.level])
	}
	if rate, err := strconv.ParseFloat(options["request_rate"], 64); err == nil && f.Rate == 0 && rate < 1e9 {
		f.Rate = rate
	}
	_, bench := options["num_prompts"]
	f.AtOnce = bench && f.Concurrency == 0 && f.Rate == 0
	f.Asked = integer(options["num_prompts"])
	f.Model, f.Backend, f.Dataset = options["model"], options["backend"], options["dataset_name"]
}

// spokenLoad is the concurrency that a heading or a comment tells; 0: none.
func spokenLoad(text string) int {
	if m := loadWord.FindStringSubmatch(text); m != nil {
		return integer(m[1])
	}
	return 0
}
