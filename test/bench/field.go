package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/store"
)

// field is one memory, kept in every way that is compared.
type field struct {
	b          *bench
	name       string
	milestones int
	words      *prose
	raw        int64 // bytes of text
	squeezed   int64 // of the same in one stream of zlib
	use        map[string]diskUse
	medians    map[string]time.Duration // by rival

	ours, lazy *repo // with notes and without
	code       *repo // no memory: git's own commands
	plain      []*plumbing
	folder     *repo
}

func (f *field) steps() int { return f.milestones * stepsOfMilestone }

// newField makes a memory of about that many steps in every way. What it takes on
// disk is measured before and after it is packed; then it stands packed.
func (b *bench) newField(steps int) (*field, error) {
	f := &field{b: b, milestones: max(steps/stepsOfMilestone, 1), words: newProse(), use: map[string]diskUse{}, medians: map[string]time.Duration{}}
	f.name = fmt.Sprintf("peers-%d", f.steps())
	list := f.some(f.milestones)
	for _, m := range list {
		f.raw += m.raw()
	}
	var err error
	if f.squeezed, err = squeeze(list); err != nil {
		return nil, err
	}
	return f, cmp.Or(f.makeOurs(list), f.makePlumbing(list), f.makeFolder(list), f.makeCode())
}

func (f *field) makeOurs(list []milestone) error {
	r, err := f.b.newCode(f.name, 0)
	if err != nil {
		return err
	}
	code, err := r.memoryBytes()
	if err != nil {
		return err
	}
	if err := r.initMemory(); err != nil {
		return err
	}
	if err := r.commitAll("", list); err != nil {
		return err
	}
	loose, err := r.memoryBytes()
	if err != nil {
		return err
	}
	if err := r.git("context", "gc"); err != nil {
		return err
	}
	packed, err := r.memoryBytes()
	if err != nil {
		return err
	}
	f.use[diskOurs] = diskUse{loose - code, packed - code}
	if f.ours, err = r.copied("settled"); err != nil {
		return err
	}
	if f.lazy, err = r.copied("lazy"); err != nil {
		return err
	}
	return f.lazy.git("config", "context.notes", "lazy")
}

// commitAll commits milestones on a branch through the library, and packs nothing.
func (r *repo) commitAll(branch string, list []milestone) error {
	s, err := refs.Open(context.Background(), store.Options{Dir: r.dir, Env: r.env, Now: time.Now, Branch: branch})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, m := range list {
		if err := m.commit(s); err != nil {
			return err
		}
	}
	return nil
}

func (f *field) makePlumbing(list []milestone) error {
	for _, way := range []string{plumbingNew, plumbingWhole} {
		p, err := f.b.newPlumbing(filepath.Join(f.b.dir, f.name), way)
		if err != nil {
			return err
		}
		if err := p.fill(list); err != nil {
			return err
		}
		loose, err := p.memoryBytes()
		if err != nil {
			return err
		}
		if err := p.git("gc", "-q"); err != nil {
			return err
		}
		packed, err := p.memoryBytes()
		if err != nil {
			return err
		}
		if p.every(len(list)) {
			f.use[way] = diskUse{loose, packed}
		}
		if p.repo, err = p.copied("settled"); err != nil {
			return err
		}
		f.plain = append(f.plain, p)
	}
	return nil
}

func (f *field) makeFolder(list []milestone) error {
	var err error
	if f.folder, err = f.b.homed(filepath.Join(f.b.dir, f.name, "folder")); err != nil {
		return err
	}
	if err := f.inFolder(list, "fill"); err != nil {
		return err
	}
	n, err := onDisk(f.folder.dir, ".")
	f.use[diskFolder] = diskUse{loose: n}
	return err
}

// inFolder gives milestones to the folder store.
func (f *field) inFolder(list []milestone, args ...string) error {
	var lines bytes.Buffer
	for _, m := range list {
		line, err := m.line()
		if err != nil {
			return err
		}
		lines.Write(line)
	}
	cmd := f.folder.command(f.b.folder, append([]string{"."}, args...)...)
	cmd.Stdin = &lines
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("folder %v: %w\n%s", args, err, out)
	}
	return nil
}

// makeCode makes a code repository of one file, for git's own commands.
func (f *field) makeCode() error {
	var err error
	if f.code, err = f.b.homed(filepath.Join(f.b.dir, f.name, "plain")); err != nil {
		return err
	}
	return cmp.Or(f.code.git("init", "-q", "-b", "trunk"), f.edit(-1), f.code.git("add", "file"), f.code.git("commit", "-q", "-m", "x"), f.code.do("sync"))
}

func (f *field) edit(i int) error {
	return os.WriteFile(filepath.Join(f.code.dir, "file"), fmt.Appendf(nil, "changed %d\n", i), 0o666)
}
