// Package index finds texts by their words: a tokeniser, the file format of an index (a
// "shard") and a ranking. It does not use git and reads only through io.ReaderAt.
//
// # Terms
//
// A text is split into words: runs of letters, digits and underscores, joined by single . -
// / or by :: (store.Pool, refs/git/names.go, std::mutex). The suffix after an apostrophe
// (don't, pool's) is left out. A word gives these terms:
//
//   - the whole word, in lower case, if it is a compound of at most 64 bytes;
//   - each element of a path, and each camelCase name in it, that is itself a compound;
//   - its parts: between the joints and underscores, at the humps of camelCase
//     (parseHTTPRequest: parse, http, request), and between letters and digits (sha256: sha,
//     256; not in an id or hash, where they alternate more than twice). A part of one
//     letter or digit is left out.
//
// Parts, and words that are no compound, are reduced to their English stem (Snowball's
// English stemmer), except a few stop words, which are left out. Outside of ASCII,
// compatibility forms are unified (NFKC) and accents of letters removed. Chinese, Japanese,
// Korean, Thai, Lao, Khmer and Burmese give a term for every two adjacent characters. A
// term has at most 64 bytes.
//
// # Ranking
//
// BM25 over the terms of a document, in which a title counts more than once; see [Rank].
//
// # The file
//
// A shard is an index of units, each of which contains documents. All numbers are
// little-endian. A checksum is the CRC-32 (Castagnoli) of the bytes that it covers.
//
//	header     40 bytes: "gctxidx" and the version 1; numbers of units and of documents,
//	           the logarithm b of the number of buckets and a zero, four bytes each; the
//	           length of the indexed text and of the file, eight bytes each
//	units      28 bytes each: key (20), kind (1), zeros (3), number of documents (4)
//	documents  20 bytes each, unit by unit: id (16), length in terms (4)
//	buckets    12 bytes each, 2^b of them: the bucket's end in the data, the number
//	           of its records, its checksum
//	checksum   of everything before it, four bytes
//	data       the buckets, one after another
//
// A 64-bit hash (FNV-1a with Murmur's finalizer) identifies a term; its first b bits select
// the bucket. A bucket contains records in the order of their hashes, 16 bytes each: hash
// (8), number of documents (4), length of the postings (4). The postings of each record
// follow. A posting is one or two unsigned varints: first twice the difference of the
// document's number to that of the previous posting, plus 1 if the term occurs there more
// than once; in that case, second, the number of occurrences.
//
// A reader keeps everything before the data in memory, 20 bytes a document, and reads one
// bucket for each term of a query. Every part is verified before its use: a file that was
// damaged or forged gives ErrDamaged, never a wrong answer or a crash.
package index
