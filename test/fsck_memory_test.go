package test

// memoryRows are the ways in which what memory holds can break.
func memoryRows() []broken { return nil }
