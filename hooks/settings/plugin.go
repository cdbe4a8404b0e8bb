package settings

import "fmt"

// pluginMark begins the first line of a plugin of ours. A version, the client and the checksum of the
// other lines follow.
const pluginMark = "// git-context hooks "

const pluginVersion = 2

// sealedPlugin returns the whole file of a client that loads a plugin.
func (c Client) sealedPlugin() sealed {
	return sealed{pluginMark, pluginVersion, fmt.Sprintf(
		"%s%d for %s: do not edit; 'git context hooks uninstall %[3]s' removes it. %s\n%s",
		pluginMark, pluginVersion, c.Name, checksum(c.plugin), c.plugin,
	)}
}
