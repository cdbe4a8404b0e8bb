package prose

import (
	"slices"
	"strings"
)

// HidePasswords replaces the password of each URL in a text by "xxxxx", as package net/url prints
// it, and a user without a password too, because that may be a token; so may be what its query says
// under the name of a token, a key, a secret or a password. What was taken for a path has one slash for two.
func HidePasswords(text string) string {
	const mark = ":/"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(mark)
		word := lastWord(before)
		scheme := strings.ToLower(word)
		if after, two := strings.CutPrefix(rest, "/"); two {
			b.WriteString("/")
			rest = after
		} else if !slices.Contains([]string{"http", "https", "ssh", "git", "ftp", "ftps"}, scheme) {
			text = rest
			continue
		}
		url := rest[:urlEnd(rest, strings.TrimSuffix(before, word))]
		text = rest[len(url):]
		if at := UserEnd(url); at >= 0 {
			user, _, hasPassword := strings.Cut(url[:at], ":")
			if hasPassword {
				b.WriteString(user + ":xxxxx")
			} else if scheme == "http" || scheme == "https" {
				b.WriteString("xxxxx")
			} else { // git@host of ssh is no secret
				b.WriteString(user)
			}
			url = url[at:]
		}
		b.WriteString(hideQuery(url))
	}
}

// urlEnd returns where a URL ends that follows a text: at the quote that the text ends with, or at a blank, a quote or
// a bracket.
func urlEnd(url, before string) int {
	for _, quote := range []string{"'", `"`} {
		if strings.HasSuffix(before, quote) {
			if end := strings.IndexAny(url, quote+"\n"); end >= 0 {
				return end
			}
		}
	}
	if end := strings.IndexFunc(url, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"<>", r) }); end >= 0 {
		return end
	}
	return len(url)
}

// UserEnd returns where the @ behind the user and the password of a URL is, whose :// is left out; -1 for none. A
// password that was not escaped may contain a slash, so that an @ in a path behind a colon is taken for one.
func UserEnd(url string) int {
	lead := len(url) - len(strings.TrimLeft(url, "/"))
	first := url[lead:]
	if end := strings.IndexAny(first, "/?#"); end >= 0 {
		first = first[:end]
	}
	if at := strings.LastIndexByte(first, '@'); at >= 0 {
		return lead + at
	}
	if strings.Contains(first, ":") && !strings.HasPrefix(first, "[") {
		return strings.LastIndexByte(url, '@')
	}
	return -1
}

// hideQuery hides the values in the query and in the fragment of a URL that may be secrets.
func hideQuery(url string) string {
	at := strings.IndexAny(url, "?#")
	if at < 0 {
		return url
	}
	var b strings.Builder
	b.WriteString(url[:at])
	for rest := url[at:]; rest != ""; {
		end := len(rest)
		if next := strings.IndexAny(rest[1:], "?#&;"); next >= 0 {
			end = next + 1
		}
		name, _, found := strings.Cut(rest[:end], "=")
		if found && secretName(name[1:]) {
			b.WriteString(name + "=xxxxx")
		} else {
			b.WriteString(rest[:end])
		}
		rest = rest[end:]
	}
	return b.String()
}

func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"tok", "key", "secret", "pass", "pwd", "auth", "sig", "code", "jwt"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// lastWord returns the letters at the end of a text.
func lastWord(text string) string {
	from := strings.LastIndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	return text[from+1:]
}
