package search

import (
	"reflect"
	"testing"
)

// What is kept of lists of files is read as it was written; what is no
// such list is none.
func FuzzCachedLists(f *testing.F) {
	f.Add("branch main 1\n2 topics/a.md\n3 log/01/a b.md\nbranch x \n")
	f.Add("1\nmain 01J 2 3\nx\n")
	f.Add("no branch\n \n")
	f.Fuzz(func(t *testing.T, text string) {
		lists := map[string]branchFiles{}
		for _, l := range parseFileLists(text) {
			if _, twice := lists[l.Branch]; !twice {
				lists[l.Branch] = l
			}
		}
		again := map[string]branchFiles{}
		for _, l := range parseFileLists(formatFileLists(lists)) {
			again[l.Branch] = l
		}
		if !reflect.DeepEqual(lists, again) {
			t.Errorf("%+v, then %+v", lists, again)
		}
	})
}
