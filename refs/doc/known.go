package doc

import "strings"

// FileKind says how a file of a memory branch's tree is read.
type FileKind int

// The kinds of files. FileUnknown is a path at which no file of a memory stands.
const (
	FileUnknown  FileKind = iota
	FileLog               // ParseLog
	FileCommits           // ParseCommits
	FileMetadata          // ParseMetadata
	FileTopic             // ParseTopic
)

const extension = ".md"

// KnownFile says what a file at this path of a memory branch's tree is. A path is
// known where this package's functions name it, letter by letter: of two paths
// that differ by the case of letters, one is unknown.
func KnownFile(path string) FileKind {
	switch path {
	case LogFile:
		return FileLog
	case CommitFile:
		return FileCommits
	case MetadataFile:
		return FileMetadata
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

// segmentAt reports whether path is where the segment of its own id stands.
func segmentAt(dir, name, path string) bool {
	id := name[strings.LastIndexByte(name, '/')+1:]
	return ValidID(id) && SegmentPath(dir, id) == path
}

// KnownDir reports whether a folder at this path may stand in a memory branch's
// tree: topics, log and commit, and the radix folders of the last two. The root is "".
func KnownDir(path string) bool {
	if path == "" || path == TopicDir {
		return true
	}
	dir, radix, deeper := strings.Cut(path, "/")
	if dir != LogDir && dir != CommitDir {
		return false
	}
	if !deeper {
		return true
	}
	// What is missing to an id is made up: the folders of an id are known.
	digits := strings.ReplaceAll(radix, "/", "")
	if len(digits) > 8 {
		return false
	}
	id := digits + strings.Repeat("0", idLen-len(digits))
	return ValidID(id) && strings.HasPrefix(SegmentPath(dir, id), path+"/")
}
