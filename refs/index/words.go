package index

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// RarestTerms returns at most most of a text's terms, the rarest in technical texts first.
// Ranking by these few finds what ranking by all terms of a long text finds, without
// reading the postings of every common word.
func RarestTerms(text string, most int) []string {
	var terms []string
	for _, t := range Tokens(text) {
		if !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
		if len(terms) == maxDistinct {
			break
		}
	}
	slices.SortStableFunc(terms, func(a, b string) int { return cmp.Compare(rarity(a), rarity(b)) })
	return terms[:min(most, len(terms))]
}

// maxDistinct bounds the cost of Telling for long texts: a problem is described by the
// first terms.
const maxDistinct = 1000

// Estimated shares of technical texts that contain a term. They need not be exact: a factor
// of four changes a rare word's weight by a quarter.
const (
	rarityFiller    = 0.2   // not, because, every; German, French and Spanish articles
	rarityTechnical = 0.05  // fix, test, error, function
	rarityShort     = 0.015 // three letters: rarely a name, often an abbreviation
	rarityWord      = 0.004 // any other word
)

// rarity returns the built-in estimate for a term, a stem as the tokeniser returns it.
func rarity(term string) float64 {
	switch {
	case fillerWord(term):
		return rarityFiller
	case technicalWord(term):
		return rarityTechnical
	}
	first, _ := utf8.DecodeRuneInString(term)
	switch n := utf8.RuneCountInString(term); {
	case first >= '0' && first <= '9': // ids, lines and counts are what a copy changes
		return rarityFiller
	case unicode.Is(unicode.Hiragana, first): // endings and particles
		return rarityFiller
	case unspaced(first): // in such scripts two characters are a word
		return rarityWord
	case n <= 2:
		return rarityTechnical
	case n == 3:
		return rarityShort
	}
	return rarityWord
}

// fillerWord reports whether a stem means little although the index does not treat it as a
// stop word.
func fillerWord(term string) bool {
	switch term {
	case "after", "all", "also", "ani", "becaus", "befor", "each", "everi", "more", "must", "need", "not", "now",
		"onli", "sinc", "while",
		"auf", "bei", "das", "dem", "den", "der", "des", "die", "ein", "fur", "im", "mit", "nach", "nicht", "sich",
		"und", "von", "weil", "werden", "wird", "zu",
		"al", "con", "del", "el", "en", "est", "et", "la", "las", "le", "les", "lo", "los", "par", "para", "pas",
		"por", "pour", "que", "se", "sur", "un", "una", "une":
		return true
	}
	return false
}

// technicalWord reports whether a stem occurs in most reports about programs.
func technicalWord(term string) bool {
	switch term {
	case "about", "add", "again", "against", "alreadi", "alway", "anoth", "api", "app", "ask", "away", "back",
		"behind", "between", "both", "branch", "bug", "build", "call", "cannot", "case", "chang", "check", "class",
		"client", "close", "code", "column", "come", "command", "commit", "config", "creat", "data", "default",
		"differ", "down", "dure", "either", "empti", "error", "even", "fail", "failur", "fals", "fast", "few",
		"field", "file", "find", "first", "fix", "function", "get", "give", "go", "handl", "happen", "here", "huge",
		"import", "input", "instead", "invalid", "issu", "keep", "key", "last", "least", "less", "let", "like",
		"line", "list", "load", "log", "look", "make", "mani", "may", "method", "might", "miss", "modul", "most",
		"move", "msg", "much", "name", "never", "new", "next", "nil", "no", "object", "off", "onc", "one", "open",
		"option", "other", "out", "output", "over", "own", "packag", "page", "part", "path", "per", "print",
		"problem", "project", "put", "queri", "read", "releas", "remov", "renam", "replac", "repo", "request",
		"respons", "result", "return", "right", "row", "run", "same", "save", "say", "second", "see", "send",
		"server", "servic", "set", "shall", "short", "show", "side", "slow", "small", "stale", "start", "state",
		"step", "still", "stop", "support", "tabl", "take", "tell", "test", "text", "thing", "three", "through",
		"time", "tri", "true", "two", "type", "under", "until", "up", "updat", "use", "user", "valu", "version",
		"want", "way", "well", "whole", "within", "without", "work", "write", "wrong":
		return true
	}
	return false
}

// synonym returns one representative of words that mean the same in software development.
// The lists are deliberately small: common abbreviations, and the few pairs that a rewording
// exchanges. Words are stems as the tokeniser returns them.
func synonym(term string) string {
	return cmp.Or(abbreviation(term), rewording(term), term)
}

// abbreviation returns the short form of a word; "" if it has none.
func abbreviation(term string) string {
	switch term {
	case "argument", "arg", "paramet":
		return "param"
	case "asynchron":
		return "async"
	case "configur":
		return "config"
	case "connect":
		return "conn"
	case "context":
		return "ctx"
	case "databas", "postgr":
		return "db"
	case "document":
		return "doc"
	case "email":
		return "mail"
	case "environ":
		return "env"
	case "err", "except":
		return "error"
	case "initi", "initialis", "startup":
		return "init"
	case "k8s":
		return "kubernet"
	case "login":
		return "auth"
	case "messag":
		return "msg"
	case "none", "null":
		return "nil"
	case "pipelin", "workflow":
		return "ci"
	case "regexp":
		return "regex"
	case "repositori":
		return "repo"
	case "tz", "utc":
		return "timezon"
	}
	return ""
}

// rewording returns the representative of a word that texts about the same problem exchange
// for others; "" if it has none.
func rewording(term string) string {
	switch term {
	case "big", "larg", "long":
		return "huge"
	case "block", "stall":
		return "wait"
	case "delet", "drop":
		return "remov"
	case "deni", "forbid", "reject":
		return "refus"
	case "dir", "directori":
		return "folder"
	case "doubl", "twice":
		return "duplic"
	case "heap", "mem":
		return "memori"
	case "latenc", "slowli":
		return "slow"
	case "mutex":
		return "lock"
	case "nondeterminist", "intermitt":
		return "flaki"
	case "old", "outdat":
		return "stale"
	case "panic":
		return "crash"
	case "sent":
		return "send"
	case "centr":
		return "center"
	case "truncat", "shorten":
		return "cut"
	}
	return ""
}
