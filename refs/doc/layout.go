package doc

import "strings"

// The paths of the documents in the tree of a memory branch; RoadmapFile is in the
// roadmap's tree.
const (
	CommitFile   = "commit.md"
	LogFile      = "log.md"
	MetadataFile = "metadata.yaml"
	RoadmapFile  = "main.md"
	CommitDir    = "commit" // sealed segments of commits
	LogDir       = "log"    // sealed segments of steps
	TopicDir     = "topics"
)

// EmptyLog returns the log.md of a branch without steps: only its origin tag.
func EmptyLog(branch string) []byte { return []byte(tagPrefix + branch + tagSuffix + "\n") }

// FileKind is the format of a file in a memory branch's tree.
type FileKind int

// The kinds of files. FileUnknown means that no file of a memory has this path.
const (
	FileUnknown  FileKind = iota
	FileLog               // ParseLog
	FileCommits           // ParseCommits
	FileMetadata          // ParseMetadata
	FileTopic             // ParseTopic
	FileArtifact          // any bytes
)

const extension = ".md"

// KindOf returns the kind of the file at a path of a memory branch's tree. A path must
// match this package's names exactly: of two paths that differ only in case, at most one is
// known.
func KindOf(path string) FileKind {
	switch path {
	case LogFile:
		return FileLog
	case CommitFile:
		return FileCommits
	case MetadataFile:
		return FileMetadata
	}
	if _, _, ok := AttachmentAt(path); ok {
		return FileArtifact
	}
	dir, rest, _ := strings.Cut(path, "/")
	name, ok := strings.CutSuffix(rest, extension)
	switch {
	case !ok:
	case dir == LogDir && segmentAt(dir, name, path):
		return FileLog
	case dir == CommitDir && segmentAt(dir, name, path):
		return FileCommits
	case dir == TopicDir && CheckTopicKey(name) == nil:
		return FileTopic
	}
	return FileUnknown
}

// segmentAt reports whether path is the path of the segment named name in dir.
func segmentAt(dir, name, path string) bool {
	id := name[strings.LastIndexByte(name, '/')+1:]
	return ValidID(id) && SegmentPath(dir, id) == path
}

// KnownDir reports whether a memory branch's tree may contain a directory at this path: the
// root (""), topics, log, commit and artifacts, and the radix directories of the last three.
func KnownDir(path string) bool {
	if path == "" || path == TopicDir {
		return true
	}
	dir, radix, deeper := strings.Cut(path, "/")
	if dir == ArtifactDir {
		return !deeper || len(radix) == 2 && strings.Trim(radix, "0123456789abcdef") == ""
	}
	if dir != LogDir && dir != CommitDir {
		return false
	}
	if !deeper {
		return true
	}
	// Pad the digits to a whole id: the directories of every valid id are known.
	digits := strings.ReplaceAll(radix, "/", "")
	if len(digits) > 8 {
		return false
	}
	id := digits + strings.Repeat("0", idLen-len(digits))
	return ValidID(id) && strings.HasPrefix(SegmentPath(dir, id), path+"/")
}
