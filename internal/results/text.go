package results

import (
	"regexp"
	"strings"
)

// readText finds the result blocks in any text: a console's output, a log, a note
// in Markdown. Blocks come in the order of the text.
func readText(data []byte) []Run {
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	var runs []Run
	from := 0 // the line after the block before: what is said about a block stands between
	for i := 0; i < len(lines); {
		found, used := blockAt(lines[i:])
		if used == 0 {
			i++
			continue
		}
		around := readContext(lines, from, i)
		for _, r := range found {
			r.Line = i + 1
			around.into(&r)
			runs = append(runs, r)
		}
		i += used
		if len(found) > 0 {
			from = i
		}
	}
	return runs
}

// blockAt reads the block that begins at the first of the lines. used is 0 where none begins.
func blockAt(lines []string) (runs []Run, used int) {
	switch line := strings.TrimSpace(lines[0]); {
	case consoleHead.MatchString(line):
		return consoleBlock(lines)
	case locustHead.MatchString(line):
		return locustBlock(lines)
	case offlineHead.MatchString(line):
		return offlineBlock(lines)
	case strings.HasPrefix(line, "|"):
		if runs, used = llamaTable(lines); used > 0 {
			return runs, used
		}
		return evalTable(lines)
	}
	return nil, 0
}

// textContext is what the text before a block says about it.
type textContext struct {
	heading string            // of the section in Markdown
	comment string            // the last line with # inside the fence of code
	options map[string]string // of a command line or a Namespace, by name with _
}

var (
	flagWord   = regexp.MustCompile(`(?:^|\s)--?([a-zA-Z][a-zA-Z0-9_-]*)(?:[ =]+("[^"]*"|'[^']*'|[^\s-][^\s]*))?`)
	namespace  = regexp.MustCompile(`([a-z_]+)=('[^']*'|[^,()\s]+)`)
	headLine   = regexp.MustCompile(`^\s*#+\s+(\S.*)$`)
	program    = regexp.MustCompile(`bench(mark_serving|_serving|\s+serve)|inferometer`)
	benchFlags = regexp.MustCompile(`\\$|--(model|num-prompts|dataset-name)\b`)
)

// readContext reads what stands between the block before and this one: the nearest
// Namespace or command, and the nearest comment. Only the heading may be further
// up: a section holds all its blocks.
func readContext(lines []string, from, to int) textContext {
	c := textContext{options: map[string]string{}}
	fenced := insideFence(lines[:to])
	for i := to - 1; i >= 0; i-- {
		line, near := lines[i], i >= from
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		head := headLine.FindStringSubmatch(line)
		switch {
		case head != nil && !fenced && c.heading == "":
			c.heading = head[1]
		case head != nil && fenced && near && c.comment == "":
			c.comment = head[1]
		case near && strings.HasPrefix(line, "Namespace(") && !c.has("num_prompts"):
			for _, m := range namespace.FindAllStringSubmatch(line, -1) {
				c.options[m[1]] = strings.Trim(m[2], "'")
			}
		case near && !c.has("num_prompts") && program.MatchString(line) && benchFlags.MatchString(line):
			c.command(joined(lines[i:to]))
		case !near && c.heading != "":
			return c
		}
	}
	return c
}

func (c *textContext) has(option string) bool { return c.options[option] != "" }

func insideFence(lines []string) bool {
	inside := false
	for _, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inside = !inside
		}
	}
	return inside
}

// name is the heading and the comment, once where they say the same.
func (c *textContext) name() string {
	h, k := strings.ToLower(c.heading), strings.ToLower(c.comment)
	switch {
	case h == "" || strings.Contains(k, h):
		return c.comment
	case k == "" || strings.Contains(h, k):
		return c.heading
	}
	return c.heading + ": " + c.comment
}

// joined is a command line with its continuations.
func joined(lines []string) string {
	var words []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		cut, more := strings.CutSuffix(line, `\`)
		words = append(words, cut)
		if !more {
			break
		}
	}
	return strings.Join(words, " ")
}

func (c *textContext) command(line string) {
	for _, m := range flagWord.FindAllStringSubmatch(line, -1) {
		c.options[strings.ReplaceAll(m[1], "-", "_")] = strings.Trim(m[2], `'"`)
	}
}

// into adds to a run what its block does not say itself.
func (c *textContext) into(r *Run) {
	if r.Name == "" {
		r.Name = c.name()
	}
	if r.Tool != VLLMConsole {
		return
	}
	f := &r.Facts
	option := func(name string) string {
		if v := c.options[name]; v != "None" {
			return v
		}
		return ""
	}
	f.Asked = integer(option("num_prompts"))
	if f.Concurrency == 0 {
		f.Concurrency = integer(option("max_concurrency"))
	}
	f.Model, f.Backend, f.Dataset = option("model"), option("backend"), option("dataset_name")
}
