package notes

import (
	"context"
	"strings"

	"github.com/git-context/git-context/refs/git"
)

// Objects returns the objects that have notes, in any fan-out.
func (u *Update) Objects(ctx context.Context) ([]git.ID, error) { return u.objects(ctx, "") }

func (u *Update) objects(ctx context.Context, dir string) (found []git.ID, err error) {
	list, err := u.tree.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		path := strings.TrimPrefix(dir+"/"+e.Name, "/")
		object := ObjectAt(path)
		switch {
		case e.IsTree():
			below, err := u.objects(ctx, path)
			if err != nil {
				return nil, err
			}
			found = append(found, below...)
		case git.IsID(string(object)):
			found = append(found, object)
		}
	}
	return found, nil
}

// Replace sets the note of an object, in place of what it has.
func (u *Update) Replace(ctx context.Context, object git.ID, text []byte) error {
	_, path, err := u.find(ctx, object)
	if err == nil {
		u.texts[path] = text
	}
	return err
}
