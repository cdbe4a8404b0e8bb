package fsck

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/remote"
	"github.com/git-context/git-context/refs/share"
)

// checkRefspecs checks the settings that init makes:
//
//  1. a fetch refspec writes to the tracking refs of another remote, because `git remote rename` does not know ours;
//  2. a refspec has the names of the other mapping;
//  3. a remote that memory is shared with lacks refspecs;
//  4. a bare clone has only ours, so that a plain fetch brings no code;
//  5. a plain push to a remote sends memory and no code;
//  6. a refspec writes to the refs of memory themselves;
//  7. notes have no merge strategy.
func checkRefspecs(ctx context.Context, c *checker) error {
	cfg, err := c.s.Repo().Config(ctx)
	if err != nil {
		return err
	}
	for _, remote := range cfg.Subsections("remote") {
		have := cfg.All("remote." + remote + ".fetch")
		if c.foreignRefspecs(ctx, cfg, remote, have) {
			continue // the next run reports what is missing
		}
		if err := c.remoteRefspecs(ctx, cfg, remote, have); err != nil {
			return err
		}
		if err := c.overwritingRefspecs(ctx, remote); err != nil {
			return err
		}
		c.pushRefspecs(ctx, remote, cfg.All("remote."+remote+".push"))
	}
	return c.notesStrategy(ctx, cfg)
}

// foreignRefspecs reports refspecs of a remote that write to another one's tracking refs. If
// the other remote is gone, this one was renamed: the repair removes those refspecs, lets init
// add its own, and drops what is kept under the old name; the next sync fetches it again.
func (c *checker) foreignRefspecs(ctx context.Context, cfg *git.Config, remote string, have []string) bool {
	remotes := cfg.Subsections("remote")
	other := ""
	for _, spec := range have {
		if of, ok := refspecOf(spec); ok && of != remote {
			other = of
		}
	}
	if other == "" {
		return false
	}
	key := "remote." + remote + ".fetch"
	p := Problem{Kind: "refspec-renamed", Object: key}
	if !slices.Contains(remotes, other) {
		c.renamed[other] = true
		p.Message = fmt.Sprintf("remote '%s' was called '%s', and is still fetched into the refs of the old name",
			remote, other)
		p.Repair = fmt.Sprintf("git config --unset-all %s %s && git context init && %s",
			prose.ShellWord(key), prose.ShellQuoted("/remotes/"+regexp.QuoteMeta(other)+"/"), FixCommand)
		if sections := cfg.Subsections("context"); slices.Contains(sections, other) && !slices.Contains(sections, remote) {
			p.Message += ", which has its settings"
			p.Repair = fmt.Sprintf("git config --rename-section %s %s && %s",
				prose.ShellWord("context."+other), prose.ShellWord("context."+remote), p.Repair)
		}
		c.report(ctx, nil, p)
		return true
	}
	p.Repair = FixCommand
	p.Message = fmt.Sprintf("remote '%s' is fetched into the refs of remote '%s'", remote, other)
	c.report(ctx, func(ctx context.Context) error { return c.rewriteRefspecs(ctx, remote, other, have) }, p)
	return true
}

// refspecOf returns the remote that one of init's refspecs belongs to.
func refspecOf(spec string) (remote string, ok bool) {
	_, to, ok := strings.Cut(spec, ":")
	if !ok {
		return "", false
	}
	if rest, notes := strings.CutPrefix(to, git.RemoteNotesPrefix); notes {
		remote, ok = strings.CutSuffix(rest, "/context*")
	} else if rest, ok = strings.CutPrefix(to, git.RemotePrefix); ok {
		for _, end := range []string{"/heads/*", "/tags/*", "/roadmap*"} {
			if remote, ok = strings.CutSuffix(rest, end); ok {
				break
			}
		}
	}
	ours := ok && (slices.Contains(git.FetchRefspecs(remote), spec) ||
		slices.Contains(git.MemoryRefspecs(git.RemoteTracking(remote), true), spec) ||
		slices.Contains(git.MemoryRefspecs(git.RemoteTracking(remote), false), spec))
	return remote, ours
}

// rewriteRefspecs puts a remote's own name into its refspecs.
func (c *checker) rewriteRefspecs(ctx context.Context, remote, other string, have []string) error {
	key := "remote." + remote + ".fetch"
	for _, spec := range have {
		of, ok := refspecOf(spec)
		if !ok || of != other {
			continue
		}
		now := strings.Replace(strings.Replace(spec, git.RemotePrefix+other+"/", git.RemotePrefix+remote+"/", 1),
			git.RemoteNotesPrefix+other+"/", git.RemoteNotesPrefix+remote+"/", 1)
		args := []string{"config", "--fixed-value", "--replace-all", key, now, spec}
		if slices.Contains(have, now) {
			args = []string{"config", "--fixed-value", "--unset-all", key, spec}
		}
		if err := c.setConfig(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// setConfig runs git config in this repository's own file.
func (c *checker) setConfig(ctx context.Context, args ...string) error {
	_, err := c.s.Repo().Run(ctx, args...)
	c.s.Repo().InvalidateConfig()
	return err
}

// remoteRefspecs reports the fetch refspecs that a remote lacks, and ours where code has none.
// A remote that memory was never shared with needs none.
func (c *checker) remoteRefspecs(ctx context.Context, cfg *git.Config, name string, have []string) error {
	if other := share.OtherRefspecs(cfg, name, have); len(other) > 0 {
		c.report(ctx, func(ctx context.Context) error {
			var errs []error
			for _, spec := range other {
				errs = append(errs, c.setConfig(ctx, "config", "--fixed-value", "--unset-all", "remote."+name+".fetch", spec))
			}
			return errors.Join(errs...)
		}, Problem{Kind: "refspec-mapping", Object: "remote." + name + ".fetch", Repair: FixCommand,
			Message: fmt.Sprintf("remote '%s' is fetched by the names of another mapping than context.%s.mapping", name, name)})
	}
	wanted := share.WantedRefspecs(cfg, name)
	ours := func(spec string) bool { _, ok := refspecOf(spec); return ok }
	if bare, err := cfg.Bool("core.bare", false); err == nil && bare && len(have) > 0 &&
		!slices.ContainsFunc(have, func(s string) bool { return !ours(s) }) {
		c.report(ctx, func(ctx context.Context) error {
			return c.setConfig(ctx, "config", "--unset-all", "remote."+name+".fetch")
		}, Problem{Kind: "refspec-alone", Object: "remote." + name + ".fetch", Repair: FixCommand,
			Message: fmt.Sprintf("a plain fetch from name '%s' brings memory and no code", name)})
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(spec string) bool { return slices.Contains(have, spec) })
	all := slices.Contains(have, "+refs/*:refs/*") // a mirror has every ref in its own place
	if len(missing) == 0 || len(have) == 0 || all {
		return nil
	}
	if len(missing) == len(wanted) {
		shared, err := remote.ReadShared(c.s, remote.Remote{Name: name})
		if err != nil || len(shared) == 0 {
			return err
		}
	}
	c.report(ctx, func(ctx context.Context) error {
		var errs []error
		for _, spec := range missing {
			errs = append(errs, c.setConfig(ctx, "config", "--add", "remote."+name+".fetch", spec))
		}
		return errors.Join(errs...)
	}, Problem{Kind: "refspec-missing", Object: "remote." + name + ".fetch", Repair: FixCommand,
		Message: fmt.Sprintf("remote '%s' has no fetch refspecs for memory: a plain fetch does not fetch '%s'",
			name, strings.TrimPrefix(missing[0], "+"))})
	return nil
}

// pushRefspecs reports a remote whose plain push sends memory alone. Somebody may have meant
// that, so that people must decide.
func (c *checker) pushRefspecs(ctx context.Context, remote string, push []string) {
	memory := func(spec string) bool {
		from, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		return strings.HasPrefix(from, git.Root) || strings.HasPrefix(from, git.NotesRef)
	}
	if len(push) == 0 || slices.ContainsFunc(push, func(spec string) bool { return !memory(spec) }) {
		return
	}
	key := "remote." + remote + ".push"
	c.report(ctx, nil, Problem{Kind: "push-memory", Object: key,
		Repair:  "git config --unset-all " + prose.ShellWord(key),
		Message: fmt.Sprintf("a plain push to remote '%s' sends memory and no code", remote)})
}

// overwritingRefspecs reports refspecs with which a plain fetch overwrites memory. The repair excludes
// memory from them, or removes those that bring nothing else. A sync names its refspecs itself, so
// that it still brings memory.
func (c *checker) overwritingRefspecs(ctx context.Context, name string) error {
	list, err := remote.OverwritingRefspecs(ctx, c.s, name)
	for _, o := range list {
		p := Problem{Kind: "refspec-overwrites", Object: o.Key, Repair: FixCommand, Message: o.String()}
		switch {
		case o.Alone:
			p.Message += "; the repair removes it"
			c.report(ctx, func(ctx context.Context) error {
				return c.setConfig(ctx, "config", "--fixed-value", "--unset-all", o.Key, o.Refspec)
			}, p)
			continue
		case len(o.Exclude) == 0:
			p.Repair = fmt.Sprintf("git config --fixed-value --unset-all %s %s", prose.ShellWord(o.Key), prose.ShellQuoted(o.Refspec))
			c.report(ctx, nil, p)
			continue
		}
		p.Message += "; the repair adds " + prose.QuotedList(o.Exclude)
		c.report(ctx, func(ctx context.Context) error {
			for _, exclude := range o.Exclude {
				if err := c.setConfig(ctx, "config", "--add", o.Key, exclude); err != nil {
					return err
				}
			}
			return nil
		}, p)
	}
	return err
}

// notesStrategy reports that git would ask people to merge notes by hand. A repository without
// worktree heads, such as one on a server, needs no setting.
func (c *checker) notesStrategy(ctx context.Context, cfg *git.Config) error {
	if _, set := cfg.String(notes.StrategyKey); set {
		return nil
	}
	if has, err := c.s.Repo().HasHead(ctx); err != nil || !has {
		return err
	}
	c.report(ctx, func(ctx context.Context) error {
		return c.setConfig(ctx, "config", notes.StrategyKey, notes.Strategy)
	},
		Problem{Kind: "config-missing", Object: notes.StrategyKey, Repair: FixCommand,
			Message: notes.StrategyKey +
				" is not set: git notes merge would stop at two agents' notes on one commit"})
	return nil
}
