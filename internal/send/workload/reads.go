package workload

import (
	"path/filepath"

	"github.com/inferometer/inferometer/internal/files/within"
)

// Reads says which files are read that a dataset's own file names: text files of generated
// conversations, images, sounds, what a task is made of.
type Reads struct {
	Allowed []string // folders that the user named
	// Strict says that the run is somebody else's: images and sounds too, which are looked at
	// before they are sent, are read from these folders and the dataset's own alone.
	Strict bool
}

// beside is where files may lie that the dataset's file names.
func (o *Options) beside() *within.Folders {
	return &within.Folders{Base: filepath.Dir(o.Path), Allowed: o.Reads.Allowed}
}

// media is where an image or a sound lies that a line of the dataset names; nil: anywhere.
func (o *Options) media() func(name string) (string, error) {
	if !o.Reads.Strict {
		return nil
	}
	return o.beside().Find
}

// Files are those that a dataset has read, or will; nil: its path is all.
func Files(d Dataset) []string {
	if q, ok := as[interface{ files() []string }](d); ok {
		return q.files()
	}
	return nil
}
