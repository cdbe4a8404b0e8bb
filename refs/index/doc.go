// Package index finds texts by their words: a tokeniser, the files of an index
// ("shards") and a ranking. It knows nothing of git and reads through io.ReaderAt
// alone.
//
// # Terms
//
// A text is cut into words: runs of letters, digits and underscores, and of these
// joined by one of . - / or by :: (store.Pool, refs/git/names.go, std::mutex). What
// stands behind an apostrophe (don't, pool's) is left out. A word gives
//
//   - the word whole, in lower case, if it is a compound of at most 64 bytes;
//   - each element of a path, and each camelCase name in it, that is a compound itself;
//   - its parts: between the joints and underscores, at the humps of camelCase
//     (parseHTTPRequest: parse, http, request), between letters and digits (sha256: sha,
//     256; not in an id or hash, where they take turns more than twice). A part of one
//     letter or digit is left out.
//
// Parts, and words that are no compound, go by their English stem (Snowball's English
// stemmer), unless they are one of a few stop words. Outside of ASCII, compatibility
// forms are made one (NFKC) and accents of letters taken off; Chinese, Japanese, Korean,
// Thai, Lao, Khmer and Burmese give every two characters that stand side by side. A
// term has at most 64 bytes.
package index
