// Command floor is what a command that writes memory costs at the least: an otherwise
// empty program that has git move refs in one transaction, and meanwhile makes as many
// files as there are objects, and then has git point a symbolic ref to another ref, if one
// is to move. It reads nothing and checks nothing.
//
//	floor REFS SYMBOLIC OBJECTS BYTES COMMIT OTHER
//
// It is run at the top of a repository. Refs go from one commit to the other, and back.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 6 {
		return errors.New("usage: floor REFS SYMBOLIC OBJECTS BYTES COMMIT OTHER")
	}
	var n [4]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(args[i]); err != nil {
			return err
		}
	}
	if n[0] > 0 {
		if err := write(n[0], n[2], n[3], args[4], args[5]); err != nil {
			return err
		}
	}
	if n[1] > 0 {
		cmd := exec.Command("git", "symbolic-ref", "-m", "floor", "FLOOR_HEAD", "refs/floor/0")
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

// write makes objects and moves refs. As with ours the child starts meanwhile.
func write(refs, objects, size int, a, b string) error {
	cmd := exec.Command("git", "update-ref", "--create-reflog", "-m", "floor", "--stdin")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := makeFiles(objects, size); err != nil {
		return err
	}
	if err := moveRefs(in, refs, a, b); err != nil {
		return err
	}
	return cmd.Wait()
}

// moveRefs moves as many refs as one.
func moveRefs(to io.WriteCloser, n int, a, b string) error {
	var text bytes.Buffer
	text.WriteString("start\n")
	for i := range n {
		ref := fmt.Sprint("refs/floor/", i)
		now, err := os.ReadFile(filepath.Join(".git", ref))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		next := a
		if string(bytes.TrimSpace(now)) == a {
			next = b
		}
		fmt.Fprintf(&text, "update %s %s\n", ref, next)
	}
	text.WriteString("prepare\ncommit\n")
	if _, err := to.Write(text.Bytes()); err != nil {
		return err
	}
	return to.Close()
}

// makeFiles makes files as objects are made: under another name first, in folders by the
// beginning of their names.
func makeFiles(n, size int) error {
	content := make([]byte, size)
	for range n {
		var id [20]byte
		if _, err := rand.Read(id[:]); err != nil {
			return err
		}
		name := hex.EncodeToString(id[:])
		dir := filepath.Join(".git", "floor", name[:2])
		temp := filepath.Join(dir, "tmp_"+name[2:])
		err := os.WriteFile(temp, content, 0o444)
		if errors.Is(err, os.ErrNotExist) {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			err = os.WriteFile(temp, content, 0o444)
		}
		if err != nil {
			return err
		}
		if err := os.Rename(temp, filepath.Join(dir, name[2:])); err != nil {
			return err
		}
	}
	return nil
}
