package exposition

import (
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// What is read of one text. Real servers stay far below: vLLM has some 500 lines, DCGM's
// exporter some 100 per GPU, a gateway some 10,000.
const (
	MaxSamples = 50_000
	maxLine    = 64 << 10
	maxLabels  = 64
)

// Parse reads a text. It never fails: see Skipped and Cut.
func Parse(text []byte) *Scrape {
	p := &parser{types: map[string]Type{}, families: map[string]int{}}
	p.out.Samples = make([]Sample, 0, min(len(text)/100+1, MaxSamples))
	for rest := string(text); rest != "" && !p.out.Ended; {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if len(p.out.Samples) == MaxSamples {
			p.out.Cut = true
			break
		}
		if !p.line(line) {
			p.out.Skipped++
		}
	}
	if !p.out.Ended { // the text format counts milliseconds
		for i := range p.out.Samples {
			p.out.Samples[i].Time /= 1000
		}
	}
	return &p.out
}

type parser struct {
	out      Scrape
	types    map[string]Type // of families
	families map[string]int  // where in out
	labels   []Label         // room for those of the samples to come
	last     string          // the sample's name before, and its type: most lines come in groups
	lastType Type
}

// line reads one; false where it could not.
func (p *parser) line(s string) bool {
	s = trim(s)
	switch {
	case s == "":
		return true
	case len(s) > maxLine:
		return false
	case s[0] == '#':
		p.comment(s[1:])
		return true
	}
	sample, ok := p.sample(s)
	if ok {
		p.out.Samples = append(p.out.Samples, sample)
	}
	return ok
}

// comment keeps what a family says of itself. Any other comment is one.
func (p *parser) comment(s string) {
	word, rest := cutBlank(trim(s))
	switch word {
	case "EOF":
		p.out.Ended = rest == ""
		return
	case "TYPE", "HELP", "UNIT":
	default:
		return
	}
	name, rest, ok := readName(rest)
	if !ok {
		return
	}
	rest = trim(rest)
	name = outside.Word(name)
	f := p.family(name)
	if f == nil {
		return
	}
	switch word {
	case "TYPE":
		f.Type = typeOf(rest)
		p.types[name] = f.Type
		p.last = "" // it may be the family of that name
	case "HELP":
		f.Help = outside.Sentence(unescape(rest))
	case "UNIT":
		f.Unit = outside.Word(rest)
	}
}

// family finds one, or begins it; nil where there are too many.
func (p *parser) family(name string) *Family {
	if i, known := p.families[name]; known {
		return &p.out.Families[i]
	}
	if len(p.out.Families) == MaxSamples {
		return nil
	}
	p.families[name] = len(p.out.Families)
	p.out.Families = append(p.out.Families, Family{Name: name})
	return &p.out.Families[len(p.out.Families)-1]
}

func typeOf(word string) Type {
	switch t := Type(strings.ToLower(word)); t {
	case Counter, Gauge, Histogram, GaugeHistogram, Summary, Info, StateSet:
		return t
	case "gauge_histogram":
		return GaugeHistogram
	}
	return Unknown
}

// endings are what a family's samples add to its name, by the types that do.
var endings = []struct {
	ending string
	types  []Type
}{
	{"_total", []Type{Counter}},
	{"_bucket", []Type{Histogram, GaugeHistogram}},
	{"_count", []Type{Histogram, Summary}},
	{"_sum", []Type{Histogram, Summary}},
	{"_created", []Type{Counter, Histogram, Summary}},
	{"_info", []Type{Info}},
	{"_gcount", []Type{GaugeHistogram}},
	{"_gsum", []Type{GaugeHistogram}},
}

// typeOf is the type of a sample's family.
func (p *parser) typeOf(name string) Type {
	if name == p.last {
		return p.lastType
	}
	p.last, p.lastType = name, p.findType(name)
	return p.lastType
}

func (p *parser) findType(name string) Type {
	if t, known := p.types[name]; known {
		return t
	}
	for _, e := range endings {
		family, ok := strings.CutSuffix(name, e.ending)
		if !ok {
			continue
		}
		t := p.types[family]
		for _, fits := range e.types {
			if t == fits && e.ending != "_created" {
				return t
			}
		}
	}
	return Unknown
}

// sample reads a line: a name and labels, a value, and maybe a time and an exemplar.
func (p *parser) sample(s string) (Sample, bool) {
	var m Sample
	name, rest, ok := "", s, true
	if s[0] != '{' {
		if name, rest, ok = readName(s); !ok {
			return m, false
		}
		rest = trim(rest)
	}
	if strings.HasPrefix(rest, "{") {
		var inside string // the text format 1.0 has names that need quotes inside the braces
		if m.Labels, inside, rest, ok = p.readLabels(rest[1:], name == ""); !ok {
			return m, false
		}
		if name == "" {
			name = inside
		}
	}
	if name == "" {
		return m, false
	}
	m.Name = outside.Word(name)
	word, rest := cutBlank(trim(rest))
	if m.Value, ok = readFloat(word); !ok {
		return m, false
	}
	if rest != "" && rest[0] != '#' { // which begins an exemplar
		word, rest = cutBlank(rest)
		if m.Time, ok = readFloat(word); !ok || rest != "" && rest[0] != '#' {
			return m, false
		}
	}
	m.Type = p.typeOf(m.Name)
	return m, true
}

// readLabels reads `a="b",c="d"}` and returns what follows the brace. A word without a
// value is the metric's name, if it may be there.
func (p *parser) readLabels(s string, named bool) (labels []Label, name, rest string, ok bool) {
	start := len(p.labels)
	for {
		s = strings.TrimLeft(s, " \t,")
		if strings.HasPrefix(s, "}") {
			break
		}
		key, after, ok := readName(s)
		if !ok {
			p.labels = p.labels[:start]
			return nil, "", "", false
		}
		s = trim(after)
		if !strings.HasPrefix(s, "=") {
			if !named || name != "" {
				p.labels = p.labels[:start]
				return nil, "", "", false
			}
			name = key
			continue
		}
		s = trim(s[1:])
		value, after, ok := readQuoted(s)
		if !ok || len(p.labels)-start == maxLabels {
			p.labels = p.labels[:start]
			return nil, "", "", false
		}
		s = after
		start = p.room(start)
		p.labels = append(p.labels, Label{outside.Word(key), outside.Word(value)})
	}
	end := len(p.labels)
	return p.labels[start:end:end], name, s[1:], true
}

// room makes sure that a label fits beside those of its line, without moving the others'.
func (p *parser) room(start int) (newStart int) {
	if len(p.labels) < cap(p.labels) {
		return start
	}
	more := make([]Label, len(p.labels)-start, 1024)
	copy(more, p.labels[start:])
	p.labels = more
	return 0
}
