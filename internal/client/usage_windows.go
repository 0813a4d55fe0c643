package client

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var processMemoryInfo = windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")

// processTimes is what this process has used: time in nanoseconds, and the most memory at a time in bytes.
func processTimes() (user, system, maxRSS int64) {
	var started, ended, kernelTime, userTime windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &started, &ended, &kernelTime, &userTime) != nil {
		return 0, 0, 0
	}
	memory := struct { // PROCESS_MEMORY_COUNTERS
		size, faults uint32
		peak         uintptr
		others       [7]uintptr
	}{}
	memory.size = uint32(unsafe.Sizeof(memory))
	_, _, _ = processMemoryInfo.Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&memory)), unsafe.Sizeof(memory)) // a peak of 0 where it fails
	span := func(f windows.Filetime) int64 { return (int64(f.HighDateTime)<<32 | int64(f.LowDateTime)) * 100 }
	return span(userTime), span(kernelTime), int64(memory.peak)
}

// kernel is the system's name and version.
func kernel() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("Windows %d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}
