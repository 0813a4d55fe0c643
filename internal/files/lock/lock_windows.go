package lock

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// Take locks an open file until it is closed. It does not wait. Windows keeps others from
// reading what is locked, so the locked byte is one that no file has.
func Take(f *os.File) error {
	beyond := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &beyond)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

// Folder locks a folder, without a file in it. It does not wait. Windows has no locks of
// folders: a mutex of the folder's number on its volume stands for it.
func Folder(path string) (unlock func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	name, err := windows.UTF16PtrFromString(fmt.Sprintf(`Global\inferometer-%x-%x-%x`, info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow))
	if err != nil {
		return nil, err
	}
	mutex, err := windows.CreateMutex(nil, false, name)
	switch {
	case errors.Is(err, windows.ERROR_ALREADY_EXISTS), errors.Is(err, windows.ERROR_ACCESS_DENIED): // denied: it is another user's
		if mutex != 0 {
			_ = windows.CloseHandle(mutex)
		}
		return nil, ErrHeld
	case err != nil:
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { _ = windows.CloseHandle(mutex) }, nil
}
