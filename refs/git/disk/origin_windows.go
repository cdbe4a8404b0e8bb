package disk

import (
	"fmt"
	"os"
	"syscall"
)

// Origin returns the time at which a file was made. Few programs that unpack an archive set it.
func Origin(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if data, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return fmt.Sprint(data.CreationTime.Nanoseconds()), nil
	}
	return "", nil
}
