package git

import "context"

// CheckPurge looks whether all is there that refs, worktrees and indexes reach: where an
// object is missing nobody can tell what else needs those that Purge is to delete, and it
// fails when the caller has moved refs already. Reflogs are left out, for the caller may
// empty some first. It costs a walk over all objects, as Purge does. The error of git,
// an *Error, names the first object that is missing.
func (r *Repo) CheckPurge(ctx context.Context) error {
	partial, err := r.promised()
	if err != nil {
		return err
	}
	p := &purge{repo: r, partial: partial}
	roots, err := p.roots(ctx)
	if err != nil {
		return err
	}
	return p.walk(ctx, roots, func(ID) {}, "--all", "--indexed-objects")
}

// PreciousObjects reports whether no object may be deleted, as other repositories may
// borrow it (extensions.preciousObjects).
func (c *Config) PreciousObjects() (bool, error) {
	return c.Bool("extensions.preciousobjects", false)
}
