// Package folder imports memory from the folders of other implementations, and exports memory to
// them. Package peer reads and writes their formats; this package maps them to branches, entries,
// metadata and the roadmap.
//
// Import adds to memory and never removes or conflicts. It moves each branch in a transaction of
// its own, completely or not at all, and recognizes entries that it has imported before, so that an
// interrupted import can be repeated. Export writes a new folder outside the repository and renames
// it when it is complete; it never replaces one. Both are safe beside other commands on memory, but
// the folder must not change meanwhile.
//
// Errors are of the kinds of package fail: ErrNoMemory without memory, ErrNotFound and ErrInvalid
// for a folder that is absent or cannot be read, ErrExists for one that exists already.
package folder
