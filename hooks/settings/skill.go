package settings

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed texts/agents.md
var instructions string

//go:embed texts/skill.md
var skill string

// skillMark begins the line of the skill's front matter that a version and the checksum of the other
// lines follow. Other metadata would be ignored by clients too.
const skillMark = "  git-context: v"

const skillVersion = 1

// Instructions returns what an agent has to know of the memory, in Markdown: what is between the markers
// in AGENTS.md.
func Instructions() string { return instructions }

// Skill returns the whole file SKILL.md, in the format of agentskills.io.
func Skill() string { return sealedSkill().text }

func sealedSkill() sealed {
	const metadata = "\nmetadata:\n"
	seal := fmt.Sprintf("%s%s%d %s\n", metadata, skillMark, skillVersion, checksum(skill))
	return sealed{skillMark, skillVersion, strings.Replace(skill, metadata, seal, 1)}
}
