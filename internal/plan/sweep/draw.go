package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
)

// Draw draws the figures of an experiment into a folder below it, and tells so in
// vLLM's words. With dry it only tells.
func (p *Plot) Draw(w io.Writer, experiment, folder string, dry bool) error {
	records, err := ReadResults(experiment)
	if err != nil {
		return err
	}
	figures, err := p.Figures(records)
	if err != nil {
		return err
	}
	drawn := 0
	for i := range figures {
		f := &figures[i]
		if err := p.draw(w, f, filepath.Join(experiment, folder, f.Name), dry); err != nil {
			return err
		}
		drawn += f.Points
	}
	if drawn == 0 && !dry {
		return errors.New("nothing is drawn: no result is left, or none has a finite value of both variables")
	}
	return nil
}

func (p *Plot) draw(w io.Writer, f *Figure, path string, dry bool) (err error) {
	rows, columns := f.Grid()
	fmt.Fprintf(w, "[BEGIN FIGURE]\nGroup: %s\nGrid: %d rows x %d cols\nOutput files: %s.png, %s.svg\n", orNone(f.Group), rows, columns, path, path)
	if f.Left > 0 {
		fmt.Fprintf(w, "%d results are left out: they have no finite %s and %s that this scale can show\n", f.Left, p.X, p.Y)
	}
	if f.Doubtful > 0 {
		fmt.Fprintf(w, "%d of the results are INVALID by their own verdict, or have too few requests for %s: don't build on them\n", f.Doubtful, p.Y)
	}
	switch {
	case dry:
	case f.Points == 0:
		fmt.Fprintf(w, "No data to plot. Filters: %s\n", orNone(p.FilterBy))
	default:
		err = f.save(path)
	}
	fmt.Fprintln(w, "[END FIGURE]")
	return err
}

// Draw draws the figure of an experiment, and tells so in vLLM's words. With dry it
// only tells.
func (p *Pareto) Draw(w io.Writer, experiment string, dry bool) error {
	records, err := ReadResults(experiment)
	if err != nil {
		return err
	}
	f, err := p.Figure(records)
	if err != nil {
		return err
	}
	path := filepath.Join(experiment, "pareto", f.Name)
	if f.Invalid > 0 {
		fmt.Fprintf(w, "%d of the points are INVALID by their own verdict, and not on the frontier.\n", f.Invalid)
	}
	if f.NoUsers > 0 {
		fmt.Fprintf(w, "Skipped %d runs without a user count.\n", f.NoUsers)
	}
	fmt.Fprintf(w, "[BEGIN FIGURE]\nOutput files: %s.png, %s.svg\n", path, path)
	if !dry {
		if err := f.save(path); err != nil {
			return err
		}
		fmt.Fprintf(w, "Plotted %d points; Pareto frontier size: %d.\n", f.Points, f.Frontier)
	}
	fmt.Fprintln(w, "[END FIGURE]")
	return nil
}

// save writes both files of a figure.
func (f *Figure) save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	for ending, picture := range map[string]func(io.Writer) error{".png": f.PNG, ".svg": f.SVG} {
		var b bytes.Buffer
		if err := picture(&b); err != nil {
			return fmt.Errorf("draw %s%s: %w", path, ending, err)
		}
		if err := atomicfile.WriteBytes(path+ending, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
