package disk_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/git-context/git-context/refs/git/disk"
)

// A stamp shows that a file was replaced, though its size is the same.
func ExampleReplace() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "packs.json")
	var stamps []disk.Stamp
	for _, text := range []string{"[1]\n", "[2]\n"} {
		if err := disk.Replace(path, []byte(text), 0o666, disk.ParsePerm("group")); err != nil {
			log.Fatal(err)
		}
		stamp, err := disk.StampOf(path)
		if err != nil {
			log.Fatal(err)
		}
		stamps = append(stamps, stamp)
	}
	data, err := os.ReadFile(path)
	fmt.Printf("%s%v %v\n", data, stamps[0] != stamps[1], err)
	// Output:
	// [2]
	// true <nil>
}
