package workload

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/files/within"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
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

// errConfined says why a dataset of somebody else is not opened.
func errConfined(what string) error {
	return fmt.Errorf("%s, and of another machine's dataset nothing is read but the files that came with it", what)
}

// confine refuses what would read a file or an address beside the dataset's own.
func (o *Options) confine(k *Kind) error {
	if !o.Confined {
		return nil
	}
	if files := LengthFiles(o.Own); len(files) > 0 {
		return errConfined(files[0].Key + " names a file")
	}
	switch own := o.Own.(type) {
	case *CustomAudioOptions:
		return errConfined(k.Name + " names files of sounds")
	case *CustomImageOptions:
		if own.Embed {
			return errConfined(k.Name + " reads images that its lines name")
		}
	case *EvalOptions:
		return errConfined("a task names files of its own")
	case *HFOptions:
		if strings.ContainsAny(own.Categories, `/\`) {
			return errConfined("a category is no path")
		}
	}
	return nil
}

// LengthFile is a file that lengths are taken from.
type LengthFile struct{ Key, Path string }

// LengthFiles are those of a dataset's options.
func LengthFiles(own any) (files []LengthFile) {
	for _, f := range option.Fields(own) {
		if d, ok := f.Reflect(own).Interface().(*lengths.Dist); ok && d != nil && d.File() != "" {
			files = append(files, LengthFile{f.Key, d.File()})
		}
	}
	return files
}
