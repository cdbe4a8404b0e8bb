package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSafe(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "as it was: é — 日本 👩‍🚀\n\tand so on", "as it was: é — 日本 👩‍🚀\n\tand so on"},
		{"escape", "\x1b[31mred\x1b[m", "^[[31mred^[[m"},
		{"title", "\x1b]0;owned\a", "^[]0;owned^G"},
		{"nul and delete", "a\x00b\x7f", "a^@b^?"},
		{"C1", "\u009b31m", "<U+009B>31m"},
		{"override", "user\u202e drowssap", "user<U+202E> drowssap"},
		{"isolates and marks", "\u2066x\u2069\u200f\u061c", "<U+2066>x<U+2069><U+200F><U+061C>"},
		{"line separator", "a\u2028b", "a<U+2028>b"},
		{"tag characters", "x\U000E0041", "x<U+E0041>"},
		{"without width", "a\u200bb\u2060c\ufeffd\u2063", "a<U+200B>b<U+2060>c<U+FEFF>d<U+2063>"},
		{"selectors beyond emoji", "x\U000E0100\U000E01EF", "x<U+E0100><U+E01EF>"},
		{"a text of selectors", "\u2764\ufe0f\ufe01\ufe02", "\u2764\ufe0f<U+FE01><U+FE02>"},
		{"selectors behind a letter", "x\ufe0f", "x<U+FE0F>"},
		{"a text of joiners", "\u0915\u200d\u200c\u200d", "\u0915\u200d<U+200C><U+200D>"},
		{"selectors behind blanks", "\u200a\ufe01\u00a0\ufe02\u3000\u200d\u2800\ufe03", "\u200a<U+FE01>\u00a0<U+FE02>\u3000<U+200D>\u2800<U+FE03>"},
		{"selectors behind letters and notes without a sign", "\u00e9\ufe01\U0001d159\ufe02\u2d7f\u200d", "\u00e9<U+FE01>\U0001d159<U+FE02>\u2d7f<U+200D>"},
		{"selectors behind Han and symbols", "\u845b\ufe00 \u2194\ufe0f \u00a9\ufe0e \u1820\u180b", "\u845b\ufe00 \u2194\ufe0f \u00a9\ufe0e \u1820\u180b"},
		{"selectors behind what nothing shows", "\u00ad\ufe01\u3164\u180b", "<U+00AD><U+FE01><U+3164><U+180B>"},
		{"joiners behind a letter", "ab\u200dc", "ab<U+200D>c"},
		{"emoji and scripts", "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 \u0915\u094d\u200d\u0937 \u0646\u200c\u0627", "\u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 \u0915\u094d\u200d\u0937 \u0646\u200c\u0627"},
		{"overwritten line", "shown\rhides", "shown^Mhides"},
		{"line ends", "a\r\nb\r", "a\nb"},
		{"invalid UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Safe(tt.in); got != tt.want {
				t.Errorf("Safe(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// acts says whether a character may act on a terminal or hide in a line. It is
// written apart from Safe, from the Unicode tables.
func acts(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f ||
		strings.ContainsRune("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff", r) ||
		unicode.Is(unicode.Variation_Selector, r) && r > 0xffff
}

// Nothing that Unicode says to show as nothing passes, but joiners and selectors where they belong.
func TestSafeShowsAllThatIsIgnorable(t *testing.T) {
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		ignorable := unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
			!unicode.In(r, unicode.Prepended_Concatenation_Mark) // these show
		if ignorable && strings.ContainsRune(Safe("a"+string(r)), r) {
			t.Errorf("%U passes", r)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J\x9b", "a\r\nb\rc\r", "\u202e\u2069", "\xff\xfe", "\U000E0020"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Safe(s)
		if !utf8.ValidString(got) {
			t.Errorf("Safe(%q) is not UTF-8", s)
		}
		if i := strings.IndexFunc(got, acts); i >= 0 {
			t.Errorf("Safe(%q) lets %q through", s, got[i:])
		}
		if Safe(got) != got {
			t.Errorf("Safe(%q) is not safe yet", s)
		}
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("Safe(%q) changes the lines", s)
		}
	})
}

func FuzzWriteJSON(f *testing.F) {
	for _, s := range []string{"", "<&>", "\x1b[2J\x7f\u0085", "\u202e", "\U000E0041", "a\\u202e"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, s string) {
		key, s = strings.ToValidUTF8(key, "\ufffd"), strings.ToValidUTF8(s, "\ufffd")
		var b bytes.Buffer
		if err := WriteJSON(&b, map[string]string{key: s}); err != nil {
			t.Fatal(err)
		}
		line := strings.TrimSuffix(b.String(), "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return acts(r) || r == '\n' }); i >= 0 {
			t.Errorf("%q lets %q through", s, line[i:])
		}
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back[key] != s {
			t.Errorf("%q comes back as %q: %v", s, back[key], err)
		}
	})
}
