package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// ErrNoRun says that a file holds no first line of a journal: it is something
// else, or its run was killed before it began.
var ErrNoRun = errors.New("no journal line in it")

// MaxLine is the longest line of a journal, in bytes: a request of a million events, or
// a text of so much.
const MaxLine = 32 << 20

// Reader reads a journal from its first line to its last readable one. A journal
// whose writer was killed ends at the last whole line that can be had.
type Reader struct {
	src     io.Closer
	zstd    *zstd.Decoder
	lines   *bufio.Reader
	long    []byte // a line that is longer than the reader's buffer
	line    Line
	request Request
	memory  Events // of columns, filled again by each request
	run     *Run
	end     *End
	damage  error

	announced int // see Announced
	kept      kept
	see       visitors
	doubts    doubts
}

// kept are the lines that are kept for the end of the file.
type kept struct {
	samples  []Sample
	scrapes  []Scrape
	hardware []Hardware
	faults   []Fault
}

// visitors want to see lines as they are read. Without one, samples, scrapes and hardware are kept, and others passed over.
type visitors struct {
	conversation func(*Conversation)
	answer       func(*Answer)
	checked      func(*Checked)
	sample       func(*Sample)
	scrape       func(*Scrape)
	hardware     func(*Hardware)
}

// doubts count what can't be, or is too much.
type doubts struct {
	counters, devices, others int // so far
	skipped                   int
	first                     error // about the first line that was skipped
}

// Open opens a journal file and reads its first line.
func Open(path string) (*Reader, error) { return open(path, nil) }

// open reads a file, and what follows it.
func open(path string, rest io.Reader) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	var src io.Reader = f
	if rest != nil {
		src = io.MultiReader(f, rest)
	}
	r, err := NewReader(src)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	r.src = f
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && rest == nil {
		r.announced = announced(f, info.Size())
	}
	return r, nil
}

// NewReader reads a journal's bytes.
func NewReader(src io.Reader) (*Reader, error) {
	packed := &counted{src: src}
	dec, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	r := &Reader{zstd: dec, lines: bufio.NewReaderSize(&unpacked{counted{src: dec}, packed}, 64<<10)}
	line, err := r.next()
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		dec.Close()
		return nil, err
	case line.Run == nil && r.doubts.first != nil:
		dec.Close()
		return nil, r.doubts.first
	case line.Run == nil:
		dec.Close()
		return nil, ErrNoRun
	case line.Run.Schema > Schema:
		dec.Close()
		return nil, fmt.Errorf("journal schema %d is newer than this program's %d: use a newer inferometer", line.Run.Schema, Schema)
	}
	line.Run.clean()
	r.run = line.Run
	return r, nil
}

// Run is the first line.
func (r *Reader) Run() *Run { return r.run }

// End is the last line, once Next has returned io.EOF; nil when the run did not come to its end.
func (r *Reader) End() *End { return r.end }

// Samples are the client's states, once Next has returned io.EOF. There is one a
// second, so even a day's run has few.
func (r *Reader) Samples() []Sample { return r.kept.samples }

// Scrapes are the server's counters, once Next has returned io.EOF.
func (r *Reader) Scrapes() []Scrape { return r.kept.scrapes }

// Hardware is what devices said of themselves, once Next has returned io.EOF.
func (r *Reader) Hardware() []Hardware { return r.kept.hardware }

// Faults are what was done to the servers on purpose, once Next has returned io.EOF.
func (r *Reader) Faults() []Fault { return r.kept.faults }

// OnConversation asks for the lines of conversations, which Next passes over otherwise.
// see is called during Next; the value is its own to keep.
func (r *Reader) OnConversation(see func(*Conversation)) { r.see.conversation = see }

// OnSample asks for the samples as they are read, in place of Samples. see is called
// during Next; the value is its own to keep. OnScrape is the same for scrapes.
func (r *Reader) OnSample(see func(*Sample)) { r.see.sample = see }

// OnScrape: see OnSample.
func (r *Reader) OnScrape(see func(*Scrape)) { r.see.scrape = see }

// OnHardware: see OnSample.
func (r *Reader) OnHardware(see func(*Hardware)) { r.see.hardware = see }

// Damage says why reading stopped before the end of the file, once Next has
// returned io.EOF: a killed writer leaves half a frame behind.
func (r *Reader) Damage() error { return r.damage }

// Skipped is how many lines were passed over because they can't be right, such as a
// request that ended before it was sent, and why the first of them can't.
func (r *Reader) Skipped() (n int, why error) { return r.doubts.skipped, r.doubts.first }

// Next returns the next request; it is overwritten by the following call.
// After the last one it returns io.EOF.
func (r *Reader) Next() (*Request, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		switch {
		case line.Request != nil:
			line.Request.clean()
			return line.Request, nil
		case line.End != nil:
			line.End.clean()
			r.end = line.End
		case line.Sample != nil:
			if r.see.sample != nil {
				r.see.sample(line.Sample)
				continue
			}
			r.kept.samples = append(r.kept.samples, *line.Sample)
		case line.Scrape != nil:
			line.Scrape.clean()
			if r.see.scrape != nil {
				r.see.scrape(line.Scrape)
				continue
			}
			r.kept.scrapes = append(r.kept.scrapes, *line.Scrape)
		case line.Hardware != nil:
			line.Hardware.clean()
			if r.see.hardware != nil {
				r.see.hardware(line.Hardware)
				continue
			}
			r.kept.hardware = append(r.kept.hardware, *line.Hardware)
		case line.Fault != nil:
			line.Fault.clean()
			r.kept.faults = append(r.kept.faults, *line.Fault)
		case line.Conversation != nil && r.see.conversation != nil:
			line.Conversation.clean()
			r.see.conversation(line.Conversation)
		case line.Answer != nil && r.see.answer != nil:
			line.Answer.clean()
			r.see.answer(line.Answer)
		case line.Checked != nil && r.see.checked != nil:
			line.Checked.clean()
			r.see.checked(line.Checked)
		}
	}
}

// Close releases the reader.
func (r *Reader) Close() error {
	r.zstd.Close()
	if r.src == nil {
		return nil
	}
	return r.src.Close()
}

// next reads one line. Bytes that cannot be read end the journal: what lies
// before them is whole, and the caller may ask Damage.
func (r *Reader) next() (*Line, error) {
	b, err := r.readLine()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.damage = err
		}
		return &Line{}, io.EOF
	}
	if bytes.HasPrefix(b, []byte(requestLine)) && r.decode(b) {
		return r.checked()
	}
	r.line = Line{}
	if err := json.Unmarshal(b, &r.line); err != nil {
		r.damage = fmt.Errorf("a journal line is not JSON: %w", err)
		return &Line{}, io.EOF
	}
	return r.checked()
}

// checked is the line that was read, if it can be one. One that can't is passed over: the
// rest may still be what happened.
func (r *Reader) checked() (*Line, error) {
	if err := r.line.check(r.run); err != nil {
		if r.doubts.skipped++; r.doubts.first == nil {
			r.doubts.first = fmt.Errorf("%w: %w", errImpossible, err)
		}
		r.line = Line{}
	}
	if r.damage = r.few(); r.damage != nil {
		return &Line{}, io.EOF
	}
	return &r.line, nil
}

// errImpossible is the doubt about a journal that somebody made up, or wrote into.
var errImpossible = errors.New("a journal line can't be right")

// What is kept of a journal is bounded, whatever its size.
const (
	maxSamples  = 1 << 20 // one a second: twelve days
	maxFaults   = 1 << 16
	maxCounters = 1 << 22 // of all scrapes; one counts as eight beside
	maxOthers   = 1 << 20 // lines that we don't know, or that can't be
)

// few says whether a line is one too many of its kind.
func (r *Reader) few() error {
	switch l := &r.line; {
	case l.Request != nil || l.Run != nil || l.End != nil || l.Conversation != nil || l.Answer != nil || l.Checked != nil:
	case l.Fault != nil && len(r.kept.faults) >= maxFaults:
		return fmt.Errorf("more than %d faults", maxFaults)
	case l.Fault != nil:
	case l.Sample != nil && len(r.kept.samples) >= maxSamples:
		return fmt.Errorf("more than %d samples", maxSamples)
	case l.Sample != nil:
	case l.Scrape != nil:
		r.doubts.counters += len(l.Scrape.Counters) + 8
		for _, b := range l.Scrape.Buckets {
			r.doubts.counters += len(b)
		}
		if r.doubts.counters > maxCounters {
			return fmt.Errorf("more than %d counters", maxCounters)
		}
	case l.Hardware != nil:
		if r.doubts.devices += len(l.Hardware.Devices) + 1; r.doubts.devices > maxCounters {
			return fmt.Errorf("more than %d states of devices", maxCounters)
		}
	default:
		if r.doubts.others++; r.doubts.others > maxOthers {
			return fmt.Errorf("more than %d lines of no known kind", maxOthers)
		}
	}
	return nil
}

// decode reads a request of our own form into the memory of the one before.
func (r *Reader) decode(b []byte) bool {
	r.request = Request{}
	r.line = Line{Request: &r.request}
	return decodeRequest(b, &r.request, &r.memory)
}

// readLine returns a line without its newline. Half a line is the end.
func (r *Reader) readLine() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.lines.ReadSlice('\n')
		if err == nil && len(r.long) == 0 {
			return part[:len(part)-1], nil
		}
		if err == nil || errors.Is(err, bufio.ErrBufferFull) {
			if len(r.long)+len(part) > MaxLine {
				return nil, fmt.Errorf("a line is longer than %d bytes", MaxLine)
			}
			r.long = append(r.long, part...)
			if err == nil {
				return r.long[:len(r.long)-1], nil
			}
			continue
		}
		if errors.Is(err, io.EOF) && len(part)+len(r.long) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
}
