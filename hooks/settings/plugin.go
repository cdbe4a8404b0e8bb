package settings

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// pluginMark begins the first line of a plugin of ours. A version, the client and the checksum of the
// other lines follow.
const pluginMark = "// git-context hooks"

const pluginVersion = 2

// pluginText returns the whole file of a client that loads a plugin.
func (c Client) pluginText() []byte {
	return fmt.Appendf(nil, "%s %d for %s: do not edit; 'git context hooks uninstall %[3]s' removes it. %s\n%s",
		pluginMark, pluginVersion, c.Name, checksum(c.plugin), c.plugin)
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// plugin is the content of the file of a plugin.
type plugin int

const (
	pluginForeign plugin = iota // another's
	pluginCurrent               // this version's
	pluginOld                   // another version's, unchanged
	pluginEdited                // ours, changed by a person
)

// judge says what a file is. git may have changed its line ends.
func (c Client) judge(data []byte) plugin {
	text := string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	first, rest, _ := strings.Cut(text, "\n")
	switch {
	case text == string(c.pluginText()):
		return pluginCurrent
	case !strings.HasPrefix(first, pluginMark+" "):
		return pluginForeign
	case strings.HasSuffix(first, " "+checksum(rest)):
		return pluginOld
	}
	return pluginEdited
}

// addPlugin returns the text of the plugin for a file that does not exist or is ours. An edited one
// stays as it is.
func (c Client) addPlugin(f file) ([]byte, error) {
	if !f.exists {
		return c.pluginText(), nil
	}
	switch c.judge(f.data) {
	case pluginForeign:
		return nil, refuse(nil, "move it away, or rename it", "'%s' is not git-context's", f.path)
	case pluginOld:
		return c.pluginText(), nil
	}
	return f.data, nil
}

// removePlugin returns nil, which removes the file, if it was not edited.
func (c Client) removePlugin(f file) []byte {
	if !f.exists {
		return nil
	}
	if is := c.judge(f.data); is == pluginCurrent || is == pluginOld {
		return nil
	}
	return f.data
}
