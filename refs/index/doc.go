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
//
// # Ranking
//
// BM25 over the terms of a document, in which a title counts more than once; see [Rank].
//
// # The file
//
// A shard is an index of units, each of some documents. All numbers are little-endian; a
// checksum is the CRC-32 (Castagnoli) of the bytes that it speaks of.
//
//	header     40 bytes: "gctxidx" and the version 1; numbers of units and of documents,
//	           the logarithm b of the number of buckets and a zero, four bytes each; the
//	           length of the text that was indexed and of the file, eight bytes each
//	units      28 bytes each: key (20), kind (1), zeros (3), number of documents (4)
//	documents  20 bytes each, unit by unit: id (16), length in terms (4)
//	buckets    12 bytes each, 2^b of them: where the bucket ends in the data, the number
//	           of its records, its checksum
//	checksum   of all that, four bytes
//	data       the buckets, one after another
//
// A term is known by a 64-bit hash (FNV-1a with Murmur's finalizer); the first b bits say
// the bucket. A bucket holds records in the order of their hashes, 16 bytes each: hash (8),
// number of documents (4), length of the postings (4); and then the postings of each. A
// posting is one or two unsigned varints: twice the document's number less that of the
// posting before, plus 1 if the term stands there more than once; then how often.
//
// So a reader keeps what stands before the data, 20 bytes a document, and reads one bucket
// for each term that it is asked for. Every part is checked before it is used: a file that
// somebody damaged or made up gives ErrDamaged, not a wrong answer and not a crash.
package index
