// Package redact finds secrets in a text and replaces each by a mark, such as
// [redacted:github-token], before the text is stored. It makes no input or output, and uses
// no regular expression except those of the user.
//
// # What is replaced
//
//   - Tokens of known providers: a fixed beginning, a set of characters and a length (the
//     table in providers.go), and JSON web tokens.
//   - The body of a private key between its BEGIN and END lines, and of one that is cut
//     before its END; line ends may be written as \n.
//   - The password of a URL, of the header Authorization, and of curl -u.
//   - The value of a name that contains a key word: token, secret, password, credential,
//     auth, or key after a word such as api or access. The name has any style (camelCase,
//     snake_case, a JSON key, an environment variable, a flag, an XML element).
//
// A value of such a name must look random: many of its pairs of adjacent characters must be
// rare in words. A password must only contain letters, and digits or signs.
//
// # What is never replaced
//
// Placeholders (changeme, your-token, ****, ${VAR}, <token>, {{ x }}), marks, code that
// names a variable or calls a function, prose, and ids, hashes, paths and names of files
// without a key word before them.
//
// # The mark
//
// A mark is [redacted:KIND]. It depends on the kind alone, never on the secret. It replaces
// whole escapes of a JSON string or none, and no quote: a text that was valid JSON remains
// valid. Redacting a redacted text changes nothing.
package redact
