package disk

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A link and a folder are not opened as a file, to read, to write, or to create.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, dangling := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	must(t, os.WriteFile(file, []byte("text"), 0o666))
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // Windows allows it only to some users
	}
	must(t, os.Symlink(filepath.Join(dir, "absent"), dangling))
	for _, path := range []string{link, dangling, dir} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_CREATE} {
			var not *NotRegularError
			if _, err := OpenFile(path, flag, 0o666); !errors.As(err, &not) || not.Path != path {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if Exists(filepath.Join(dir, "absent")) {
		t.Error("a file was made through a link")
	}
	if data, err := ReadFile(file, 4); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	var large *TooLargeError
	if _, err := ReadFile(file, 3); !errors.As(err, &large) {
		t.Errorf("too large: %v", err)
	}
}

// A link is found in place of the folder, in the folder, and in those that are named.
func TestCheckFolders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	must(t, CheckFolders(dir, "sub"))
	must(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o777))
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o666))
	must(t, CheckFolders(dir, "sub", "absent", "file"))
	for _, link := range []string{filepath.Join(dir, "sub", "link"), filepath.Join(dir, "link"), dir + "2"} {
		if err := os.Symlink(dir, link); err != nil {
			t.Skip(err)
		}
		top := dir
		if link == dir+"2" {
			top = link
		}
		var not *NotRegularError
		if err := CheckFolders(top, "sub"); !errors.As(err, &not) || not.Path != link {
			t.Errorf("%s: %v", link, err)
		}
		must(t, os.Remove(link))
	}
}
