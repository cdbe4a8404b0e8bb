// Command scale measures what sharing a memory costs on this machine, and says from
// that what a thousand agents on one host would see. docs/scale.md has its tables.
//
//	go run ./test/scale measure > docs/scale/measured.csv
//	go run ./test/scale simulate docs/scale/measured.csv docs/scale.md
//
// measure takes minutes, wants a quiet machine and shows its progress on standard
// error; -quick takes seconds, for tries. simulate puts its tables into a page,
// or prints them; the same measurements give the same tables.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	quick := flag.Bool("quick", false, "measure few and small cases")
	only := flag.String("only", "", "measure one experiment alone")
	flag.Parse()
	if err := run(flag.Args(), *quick, *only, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run(args []string, quick bool, only string, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "measure":
		return measure(quick, only, out)
	case len(args) == 2 && args[0] == "simulate":
		return simulate(args[1], out)
	case len(args) == 3 && args[0] == "simulate":
		return renew(args[2], args[1])
	}
	return fmt.Errorf("usage: scale [-quick] [-only EXPERIMENT] measure | scale simulate FILE [PAGE]")
}
