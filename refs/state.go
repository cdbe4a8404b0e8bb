package refs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// readState decodes a file of local state, after one look at the disk where there is
// none: found is false then. What is there and cannot be understood is bad; the caller
// knows what people can do about it.
func (s *Store) readState(name string, into any) (found bool, bad, err error) {
	f, err := s.repo.OpenState(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil, nil
	}
	if err != nil {
		return false, nil, err
	}
	defer f.Close()
	return true, json.NewDecoder(f).Decode(into), nil
}
