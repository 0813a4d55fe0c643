package spool

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const byVariable = `TMP=C:\path\to\folder`

// createNameless makes a file that is gone when it is closed. Windows keeps its name until then.
func createNameless(folder string) (*os.File, error) {
	path := filepath.Join(folder, "inferometer-"+rand.Text())
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE, windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE, nil,
		windows.CREATE_NEW, windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		return nil, &os.PathError{Op: "create", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// disk tells the size of the disk that a file lies on, and how much of it we may use, in bytes.
func disk(f *os.File) (size, free uint64, err error) {
	folder, err := windows.UTF16PtrFromString(filepath.Dir(f.Name()))
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(folder, &free, &size, nil)
	return size, free, err
}
