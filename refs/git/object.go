package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Object is a blob, tree, commit or tag, with its content.
type Object struct {
	ID   ID
	Type string // "blob", "tree", "commit" or "tag"
	Data []byte
}

// Object reads the object that a revision names, in any form of gitrevisions(7)
// without a newline. A full id that is a loose object is read in process.
// ErrNotFound and ErrAmbiguous are as git answers; a damaged object is another
// error.
func (r *Repo) Object(ctx context.Context, rev string) (Object, error) {
	if r.IsID(rev) {
		if o, ok := r.behind.unwritten(ID(rev)); ok {
			return o, nil
		}
		o, err := r.loose(ID(rev))
		if !errors.Is(err, fs.ErrNotExist) {
			return o, err
		}
	}
	return r.cat.contents(ctx, rev)
}

// typed reads an object that must be of one type.
func (r *Repo) typed(ctx context.Context, id ID, want string) (Object, error) {
	if !r.IsID(string(id)) {
		return Object{}, fmt.Errorf("'%s' is no object id", Shown(string(id)))
	}
	o, err := r.Object(ctx, string(id))
	if err != nil {
		return o, err
	}
	if o.Type != want {
		return o, fmt.Errorf("object '%s' is a %s, not a %s", id, o.Type, want)
	}
	return o, nil
}

// Blob returns the content of a blob.
func (r *Repo) Blob(ctx context.Context, id ID) ([]byte, error) {
	o, err := r.typed(ctx, id, "blob")
	return o.Data, err
}

// Tree returns the entries of a tree.
func (r *Repo) Tree(ctx context.Context, id ID) ([]TreeEntry, error) {
	if id == r.EmptyTree() {
		return nil, nil
	}
	o, err := r.typed(ctx, id, "tree")
	if err != nil {
		return nil, err
	}
	entries, err := ParseTree(o.Data, r.hexLen()/2)
	if err != nil {
		return nil, fmt.Errorf("object '%s': %w", id, err)
	}
	return entries, nil
}

// Commit returns a commit.
func (r *Repo) Commit(ctx context.Context, id ID) (*Commit, error) {
	o, err := r.typed(ctx, id, "commit")
	if err != nil {
		return nil, err
	}
	return ParseCommit(id, o.Data)
}

// Peel returns the id of the object that a revision names, which must exist.
// Append "^{commit}" to look through tags. It takes 0.03 ms once the child that
// reads objects runs.
func (r *Repo) Peel(ctx context.Context, rev string) (ID, error) {
	o, err := r.cat.info(ctx, rev)
	return o.ID, err
}

// WriteBlob stores a blob and returns its id. Like the other writers it may be
// called for what is there already: the object's modification time is renewed,
// so that no gc that runs meanwhile takes it away. While a Tx is open the file is
// written behind, and data must not be changed; see [Tx.Commit].
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (ID, error) {
	return r.write(ctx, "blob", data)
}

// BlobID returns the id that a blob has or would have.
func (r *Repo) BlobID(data []byte) ID { return hashObject("blob", data, r.hexLen()) }

// HoldBlob returns the id of a blob that is not stored: this Repo can read it until the last open Tx is closed. No tree
// that is stored may name it.
func (r *Repo) HoldBlob(data []byte) ID { return r.hold("blob", data) }

func (r *Repo) hold(kind string, data []byte) ID {
	o := Object{ID: hashObject(kind, data, r.hexLen()), Type: kind, Data: data}
	b := &r.behind
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held == nil {
		b.held = map[ID]Object{}
	}
	b.held[o.ID] = o
	return o.ID
}

// WriteTree stores a tree, with entries in any order. It refuses names and ids that git
// would not accept, and two entries of one name.
func (r *Repo) WriteTree(ctx context.Context, entries []TreeEntry) (ID, error) {
	data, err := encodeTree(entries, r.hexLen())
	if err != nil {
		return "", err
	}
	return r.write(ctx, "tree", data)
}

func (r *Repo) holdTree(_ context.Context, entries []TreeEntry) (ID, error) {
	data, err := encodeTree(entries, r.hexLen())
	if err != nil {
		return "", err
	}
	return r.hold("tree", data), nil
}

// WriteCommit stores a commit; its ID is not looked at. Names are cleaned as
// git cleans them. It refuses a NUL, which would end the message for git.
func (r *Repo) WriteCommit(ctx context.Context, c *Commit) (ID, error) {
	if err := r.checkCommit(c); err != nil {
		return "", err
	}
	return r.write(ctx, "commit", c.Encode())
}

// checkCommit refuses a commit that git would not write.
func (r *Repo) checkCommit(c *Commit) error {
	for _, id := range append([]ID{c.Tree}, c.Parents...) {
		if !r.IsID(string(id)) || id.IsZero() {
			return fmt.Errorf("bad object id '%s' in a commit", Shown(string(id)))
		}
	}
	if strings.ContainsRune(c.Message, 0) {
		return errors.New("a commit message may not contain a NUL")
	}
	return nil
}

// write stores an object in process, except where objects have a second name, which git alone knows.
func (r *Repo) write(ctx context.Context, kind string, data []byte) (ID, error) {
	if !r.format.compat {
		return r.writeLoose(ctx, kind, data)
	}
	if data == nil {
		data = []byte{} // standard input must be a pipe
	}
	out, err := r.RunInput(ctx, data, "hash-object", "-w", "--stdin", "-t", kind)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !r.IsID(id) {
		return "", fmt.Errorf("git hash-object: cannot understand '%s'", Shown(id))
	}
	return ID(id), nil
}

// ID is the full hexadecimal name of an object: 40 digits in a SHA-1
// repository, 64 in a SHA-256 one. The empty ID names nothing.
type ID string

// shortLen is long enough to be unambiguous in all but huge repositories.
const shortLen = 10

// Short returns the first ten digits, for people.
func (id ID) Short() string {
	if len(id) <= shortLen {
		return string(id)
	}
	return string(id[:shortLen])
}

// IsZero reports whether id names nothing: empty, or git's all-zero id.
func (id ID) IsZero() bool {
	return strings.Trim(string(id), "0") == ""
}

// isHex reports whether s is n lower-case hexadecimal digits.
func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Shown makes a name that may contain anything fit for a message: printable ASCII,
// everything else as escapes, cut after 60 bytes.
func Shown(name string) string {
	const most = 60
	short := name
	if len(short) > most {
		short = short[:most]
	}
	quoted := fmt.Sprintf("%+q", short)
	short = quoted[1 : len(quoted)-1]
	if len(name) > most {
		short += "..."
	}
	return short
}

// ObjectInfo is the type and the size of an object.
type ObjectInfo struct {
	ID   ID
	Type string // "blob", "tree", "commit" or "tag"; "" for one that does not exist
	Size int64  // bytes of its content
}

// IsID reports whether s can be the full name of an object in some format: 40 or 64
// lower-case hexadecimal digits. See [Repo.IsID].
func IsID(s string) bool { return isHex(s, 40) || isHex(s, 64) }
