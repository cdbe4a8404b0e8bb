// Package across searches the memory of several repositories as if it were one: Search and Recall are
// those of package search, with hits of all repositories in one order.
//
// # Ranking
//
// Scores are BM25 with the statistics of all repositories together: the number of documents, their
// average length, and how many contain a word. So a score says the same wherever its hit is, and a hit
// has the place that it would have if one repository contained everything, except that each repository
// looks only at the 256 best by words, as a search in one does, and that entries which clones share count
// once in each. Equal scores have the order of the repositories. The similarity of a recall depends on the
// two texts alone, but for the rarity of words, which is that in all repositories.
//
// # Folding
//
// Hits of different repositories that are the same lesson become one, the best, with the others in Also.
// They are the same lesson if they are of one kind and
//
//  1. the same entry, which clones of one project share,
//  2. the same text, apart from white space and capitals, or
//  3. near-duplicates, by the similarity and threshold of recall (index.DuplicateAt): of commits the
//     summaries and the contributions, both; of topics and steps the texts. A text with fewer than three
//     words that are significant (index.Similarity.Significant) is near to an equal one only: "Run the
//     tests again" is written in any repository.
//
// Recall asks for the same problem; commits are folded only if they also say the same of it. A hit is
// compared with the best of a lesson. Two hits of one repository are never folded: a search in that
// repository shows both.
//
// # Confidence
//
// A commit's note or tag says what came of it: success, failed or abandoned. With s successes in n
// commits of a lesson that have an outcome, the confidence that it works again is
//
//	(s + 1) / (n + 2)
//
// (Laplace's rule of succession): as if one more had succeeded and one more had failed. So one success
// says 0.67 and not 1, five of six say 0.75, and no number of successes says 1. Without outcomes there is
// none. A commit that several clones have counts once, and as no success if any of them says so. Scores
// of notes do not count: they are measured on a scale of each repository's own.
//
// # Other people's repositories
//
// Nothing is written but the cache of each repository, by itself. Stores are opened by the caller, who
// decides on the environment; git decides whether it trusts the owner of a repository (safe.directory). A
// repository that cannot be searched is skipped, and the result says why.
package across
