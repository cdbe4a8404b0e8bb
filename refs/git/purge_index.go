package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/fault"
)

// midxName is the file of the index of several packs, and begins the names of what
// belongs to it.
const midxName = "multi-pack-index"

// midx is which index of several packs there was.
type midx uint8

const (
	midxNone midx = iota
	midxPlain
	midxBitmap // with a bitmap
)

// dropMidx deletes the index of several packs before a pack goes that it may name,
// as `git repack` does: a reader finds everything without it.
func (p *purge) dropMidx() error {
	entries, err := os.ReadDir(p.packDir)
	if err != nil {
		return err
	}
	for _, e := range entries { // the index itself, by its name, before what belongs to it
		if !strings.HasPrefix(e.Name(), midxName) || e.Name() == midxName+".lock" { // whoever writes one holds that
			continue
		}
		p.hadMidx = max(p.hadMidx, midxPlain)
		if strings.HasSuffix(e.Name(), ".bitmap") {
			p.hadMidx = midxBitmap
		}
		if err := os.RemoveAll(filepath.Join(p.packDir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// writeMidx makes it anew.
func (p *purge) writeMidx(ctx context.Context) error {
	args := []string{"write"}
	switch p.hadMidx {
	case midxNone:
		return nil
	case midxBitmap:
		args = append(args, "--bitmap")
	}
	packs, err := p.repo.packsIn(ctx, p.repo.objectDir)
	if err != nil || len(packs) == 0 {
		return err
	}
	return p.writeIndex(ctx, "multi-pack-index", args...)
}

// writeIndex has git write an index, and waits for whoever else writes it: a gc of the
// user's holds its lock file for as long as that takes.
func (p *purge) writeIndex(ctx context.Context, name string, args ...string) error {
	for begin := time.Now(); ; {
		_, err := p.repo.start(ctx, command{env: p.repo.childEnv, args: append([]string{name}, args...), limit: purgeTimeout})
		if exitCode(err) <= 0 || !strings.Contains(err.Error(), ".lock': File exists") || time.Since(begin) > lockTimeout {
			return err
		}
		select {
		case <-time.After(indexPoll):
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// writeGraph makes the commit-graph anew, which names commits that are gone: fsck
// would miss them. It goes first: nobody needs it.
func (p *purge) writeGraph(ctx context.Context) error {
	info := filepath.Join(p.repo.objectDir, "info")
	chain := filepath.Join(info, "commit-graphs")
	args := []string{"write", "--reachable", "--no-progress"}
	had := false
	for _, path := range []string{filepath.Join(info, "commit-graph"), filepath.Join(chain, "commit-graph-chain")} {
		err := os.Remove(path)
		switch {
		case err == nil && had: // both: git reads the first
		case err == nil:
			had = true
			if filepath.Dir(path) == chain {
				args = append(args, "--split")
			}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if !had {
		return nil
	}
	fault.Point("after-graph-dropped")
	entries, err := os.ReadDir(chain)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".graph") {
			if err := os.Remove(filepath.Join(chain, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return p.writeIndex(ctx, "commit-graph", args...)
}

// writeInfo lists the packs anew for those who fetch over plain HTTP, where they are
// listed.
func (p *purge) writeInfo(ctx context.Context) error {
	_, err := os.Stat(filepath.Join(p.repo.objectDir, "info", "packs"))
	if errors.Is(err, fs.ErrNotExist) || p.res.Packs == 0 && len(p.left) == 0 && err == nil {
		return nil
	}
	if err == nil {
		_, err = p.repo.Run(ctx, "update-server-info")
	}
	return err
}
