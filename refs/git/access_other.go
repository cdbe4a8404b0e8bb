//go:build !unix

package git

// Refused is a file or folder of local state that this user cannot write to.
type Refused struct {
	Path string
	Own  bool // it is this user's: its permissions are in the way, else its owner
}

// RefusedState finds nothing where permissions are no bits of a file: a command that is
// refused something says so itself.
func (r *Repo) RefusedState() ([]Refused, error) { return nil, nil }
