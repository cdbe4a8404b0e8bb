// Package detect reads facts about the code from its files: two levels of its tree, the
// dependencies that manifests declare, the tool versions that files require, and the names
// of environment variables. It reads the tree of a code commit and no other file, runs no tool
// chain, writes nothing but the Metadata that it is given, and never copies the value of a
// variable.
package detect

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
)

// The keys of the detected facts in metadata.yaml. People and agents write other keys
// beside them; in a merge, detected keys never conflict.
const (
	KeyFrom         = "detected_from"         // the code tree that the facts were read from
	KeyTree         = "file_structure.tree"   // two levels of it
	KeyEnv          = "env_config.detected"   // names of variables, versions that files require
	KeyDependencies = "dependencies.detected" // by manifest
)

const (
	maxTreeEntries  = 200     // of file_structure.tree
	maxManifest     = 1 << 20 // bytes of a manifest; larger ones are ignored
	maxDependencies = 200     // of one manifest
	maxDetected     = 10_000  // bytes of each detected key; the whole file is limited to 64 KiB
)

// fitList truncates a list to a number of entries and of bytes. The last entry then counts
// the omitted ones.
func fitList(list []string, entries, size int) []string {
	for i, text := range list {
		if size -= len(text) + len("      - \n"); i == entries || size < 0 {
			return append(list[:i:i], fmt.Sprintf("(%d more)", len(list)-i))
		}
	}
	return list
}

// Refresh sets the detected keys of meta to the facts about the commit code, unless its
// tree is known. It returns an error if an object cannot be read or the metadata refuses a
// value; meta may then be changed in part.
func Refresh(ctx context.Context, repo *git.Repo, meta *doc.Metadata, code, known git.ID) error {
	commit, err := repo.Commit(ctx, code)
	if err != nil || commit.Tree == known {
		return err
	}
	root := commit.Tree
	entries, err := repo.Tree(ctx, root)
	if err != nil {
		return err
	}
	tree, err := fileTree(ctx, repo, entries)
	if err != nil {
		return err
	}
	files := &codeFiles{repo: repo, entries: entries}
	deps, err := files.dependencies(ctx)
	if err != nil {
		return err
	}
	env, err := files.environment(ctx)
	if err != nil {
		return err
	}
	for _, set := range []struct {
		key   string
		value any
		empty bool
	}{
		{KeyFrom, string(root), false},
		{KeyTree, tree, len(tree) == 0},
		{KeyEnv, env, len(env) == 0},
		{KeyDependencies, deps, len(deps) == 0},
	} {
		if set.empty {
			_, err = meta.Unset(set.key)
		} else {
			err = meta.SetValue(set.key, set.value)
		}
		if err != nil {
			return fmt.Errorf("set '%s' in metadata.yaml: %w", set.key, err)
		}
	}
	return nil
}

// fileTree lists two levels of the code; the name of a folder ends with a slash.
func fileTree(ctx context.Context, repo *git.Repo, root []git.TreeEntry) ([]string, error) {
	var list []string
	add := func(name string) { list = append(list, name) }
	for _, e := range root {
		name, _ := doc.Clean(e.Name)
		if e.Mode != git.ModeTree {
			add(name)
			continue
		}
		add(name + "/")
		if len(list) >= maxTreeEntries {
			continue
		}
		below, err := repo.Tree(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range below {
			sub, _ := doc.Clean(f.Name)
			if f.Mode == git.ModeTree {
				sub += "/"
			}
			add(name + "/" + sub)
		}
	}
	return fitList(list, maxTreeEntries, maxDetected), nil
}

// modeExecutable is the mode of an executable file, which memory does not have.
const modeExecutable = 0o100755

// codeFiles reads files at the root of the code's tree.
type codeFiles struct {
	repo    *git.Repo
	entries []git.TreeEntry
}

// read returns the content of a file, nil if it is absent or larger than maxManifest.
func (f *codeFiles) read(ctx context.Context, name string) ([]byte, error) {
	for _, e := range f.entries {
		if e.Name == name && (e.Mode == git.ModeBlob || e.Mode == modeExecutable) {
			data, err := f.repo.Blob(ctx, e.ID)
			if err != nil || len(data) > maxManifest {
				return nil, err
			}
			return data, nil
		}
	}
	return nil, nil
}

// dependencies reads every known manifest. One that cannot be parsed is "unreadable", to
// distinguish it from an empty one.
func (f *codeFiles) dependencies(ctx context.Context) (map[string]any, error) {
	found := map[string]any{}
	for _, m := range manifests {
		data, err := f.read(ctx, m.file)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		deps, err := m.parse(data)
		if err != nil {
			found[m.file] = "unreadable"
			continue
		}
		if deps = fitList(deps, maxDependencies, maxDetected/len(manifests)); len(deps) > 0 {
			found[m.file] = deps
		}
	}
	return found, nil
}

// environment reads the versions that files require, and the names of the variables in .env
// files.
func (f *codeFiles) environment(ctx context.Context) (map[string]any, error) {
	found := map[string]any{}
	for _, v := range versionFiles {
		data, err := f.read(ctx, v.file)
		if err != nil {
			return nil, err
		}
		if version := v.parse(data); version != "" {
			found[v.key] = version
		}
	}
	names, err := f.envNames(ctx)
	if len(names) > 0 {
		found["variables"] = names
	}
	return found, err
}

// envNames lists the variables that the tracked .env files at the root set. Files that git ignores are
// private, and memory is shared.
func (f *codeFiles) envNames(ctx context.Context) ([]string, error) {
	names := map[string]bool{}
	for _, e := range f.entries {
		if !strings.HasPrefix(e.Name, ".env") {
			continue
		}
		data, err := f.read(ctx, e.Name)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if name := envName(line); name != "" {
				names[name] = true
			}
		}
	}
	return fitList(slices.Sorted(maps.Keys(names)), maxDependencies, maxDetected), nil
}

// envName returns the variable that a line of a .env file sets.
func envName(line string) string {
	name, _, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return ""
	}
	return name
}
