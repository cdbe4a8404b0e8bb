//go:build unix

package browser

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// mostPicture is the size in bytes of one picture.
const mostPicture = 120 << 10

// TestScreenshots writes the pictures of the documentation: 'make screenshots'.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("GIT_CONTEXT_SCREENSHOTS")
	if folder == "" {
		t.Skip("*** SKIPPED SCREENSHOTS: 'make screenshots' makes them")
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	b := serve(t, story(t)).open()
	for _, p := range []struct {
		file, path, scheme string
		width, height      int64
	}{
		{"web-home.png", "/", "light", 1000, 1040},
		{"web-home-dark.png", "/", "dark", 1000, 1040},
		{"web-home-narrow.png", "/", "light", 360, 700},
		{"web-trace.png", "/trace?branch=load", "light", 1000, 700},
	} {
		b.size(p.width, p.height)
		b.scheme(p.scheme)
		b.visit(p.path)
		shot, err := get(b, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		small := squeeze(t, shot)
		if len(small) > mostPicture {
			t.Errorf("%s has %d bytes", p.file, len(small))
		}
		if err := os.WriteFile(filepath.Join(folder, p.file), small, 0o666); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", p.file, len(small))
	}
	b.quiet("screenshots")
}

// story is the demo, whose commands are seven minutes apart from a fixed day on, and what Ann does next.
func story(t *testing.T) string {
	t.Helper()
	real, clock := filepath.Join(programs, "git-context"), filepath.Join(t.TempDir(), "clock")
	const begin = 1795597200 // 2026-11-25 09:00:00 UTC
	if err := os.WriteFile(clock, []byte(fmt.Sprint(begin)), 0o666); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\nnow=$(($(cat '%s') + 420)); echo $now >'%[1]s'\n"+
		"GIT_AUTHOR_DATE=\"@$now +0000\" GIT_COMMITTER_DATE=\"@$now +0000\" exec '%s' \"$@\"\n", clock, real)
	slow := filepath.Join(t.TempDir(), "git-context")
	if err := os.WriteFile(slow, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	dir := play(t, slow,
		fmt.Sprintf("GIT_AUTHOR_DATE=@%d +0000", begin), fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", begin))
	next := func(args ...string) { command(t, dir, "", append([]string{slow}, args...)...) }
	next("todo", "add", "Run the load test with a restart in the middle")
	next("branch", "load", "--no-switch", "--purpose", "Does the pool hold while the database restarts?")
	next("record", "-b", "load", "-t", "First without a restart, to have a figure to compare with.",
		"-a", "bash: go test -run Load -count=10 ./store", "-o", "ok  store  12.4s  30000 requests, 0 failed")
	next("record", "-b", "load", "-t", "It holds. Now with a restart after five seconds.",
		"-a", "bash: go test -run Load -restart=5s ./store", "-o", "FAIL  store  14.1s  30000 requests, 3 failed: connection refused")
	next("record", "-b", "load", "-t", "The three came before the first health check: that is the time in which nobody knows of the restart.",
		"-a", "bash: grep -n HealthCheck store/*.go", "-o", "store/pool.go:41: const healthCheck = 2 * time.Second")
	called := filepath.Join(filepath.Dir(dir), "store")
	if err := os.Rename(dir, called); err != nil {
		t.Fatal(err)
	}
	return called
}

// alike reports whether the eye takes two colours for one.
func alike(a, b color.RGBA) bool {
	far := func(x, y uint8) int { return max(int(x)-int(y), int(y)-int(x)) }
	return far(a.R, b.R)+far(a.G, b.G)+far(a.B, b.B) < 16
}

// squeeze writes a picture with at most 256 colours, those that it has most of.
func squeeze(t *testing.T, shot []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.RGBA]int{}
	box := full.Bounds()
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	var all []color.RGBA
	for c := range count {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	var colours color.Palette
	for _, c := range all {
		if len(colours) < 256 && !slices.ContainsFunc(colours, func(has color.Color) bool { return alike(c, has.(color.RGBA)) }) {
			colours = append(colours, c)
		}
	}
	few, nearest := image.NewPaletted(box, colours), map[color.RGBA]uint8{}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := at(x, y)
			i, ok := nearest[c]
			if !ok {
				i = uint8(colours.Index(c))
				nearest[c] = i
			}
			few.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
