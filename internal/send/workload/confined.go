package workload

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
)

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
