package incoming

import (
	"fmt"

	"github.com/git-context/git-context/refs/store"
)

// volume bounds the sum of the sizes of something that comes, because what packs well is small there: git stores what
// many commits have in common once, and each view reads it for each commit.
type volume struct {
	what       string
	most, used int64
}

// volumes are those of one inspection. What comes with more commits may have more bytes.
type volumes struct {
	entries  volume // files of steps and commits, each of which is parsed as a whole
	trees    volume // by how much folders are larger than those of their parents
	again    volume // all of folders: a commit that changes one of 50,000 topics writes that folder anew
	roadmaps volume // the revisions of main.md, each of which is read as a whole
	messages volume
	trailers volume // the part of messages that git takes 20 times as long for
	yaml     volume // metadata and front matter that the YAML reader takes a thousand times as long for
}

// The bounds without any commit, and how much each commit adds to them. Those of our own commits take a tenth.
const (
	entryBytes, entryBytesEach     = 256 << 20, 128 << 10
	treeBytes, treeBytesEach       = 256 << 20, 128 << 10
	againBytes                     = 512 << 20
	roadmapBytes, roadmapBytesEach = 512 << 20, 128 << 10
	messageBytes, messageBytesEach = 64 << 20, 16 << 10
	trailerBytes, trailerBytesEach = 8 << 20, 4 << 10
	yamlBytes, yamlBytesEach       = 4 << 20, 32 << 10
)

// newVolumes returns the bounds for a limit of new entries, which people may raise.
func newVolumes(limit int) volumes {
	factor := int64(max(1, limit/store.DefaultMaxNewEntries))
	return volumes{
		entries:  volume{what: "steps and commits", most: factor * entryBytes},
		trees:    volume{what: "folders", most: factor * treeBytes},
		again:    volume{what: "folders", most: factor * againBytes},
		roadmaps: volume{what: "revisions of the roadmap", most: factor * roadmapBytes},
		messages: volume{what: "messages", most: factor * messageBytes},
		trailers: volume{what: "trailers", most: factor * trailerBytes},
		yaml:     volume{what: "metadata and front matter", most: factor * yamlBytes},
	}
}

// grow raises the bounds for some more commits.
func (v *volumes) grow(limit, commits int) {
	each := int64(max(1, limit/store.DefaultMaxNewEntries)) * int64(commits)
	v.entries.most += each * entryBytesEach
	v.trees.most += each * treeBytesEach
	v.again.most += each * treeBytesEach
	v.roadmaps.most += each * roadmapBytesEach
	v.messages.most += each * messageBytesEach
	v.trailers.most += each * trailerBytesEach
	v.yaml.most += each * yamlBytesEach
}

// shortFront is how many bytes of front matter do not count: those of people take less than a millisecond.
const shortFront = 1 << 10

// use counts bytes that come with a ref.
func (c *Inspection) use(v *volume, size int64, ref string) error {
	if v.used += size; v.used > v.most {
		return c.tooMany(ref, fmt.Sprintf("more than %d MiB of %s", v.most>>20, v.what))
	}
	return nil
}
