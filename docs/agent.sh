#!/bin/sh
# Stands in for Claude Code where there is none, for the tutorial: it calls the hooks that
# .claude/settings.json has, as Claude Code does, and writes the transcript that Claude Code
# writes, of one prepared turn. There is no model.
#
#	agent.sh PROMPT     a session in which the clock of the tutorial gets seconds
#	agent.sh --told     a session that begins, and what its model is told of memory
set -eu

session=tutorial-$$
transcript=${TMPDIR:-/tmp}/$session.jsonl
trap 'rm -f "$transcript"' EXIT

# hook EVENT MEMBERS runs the command of the event's hook.
hook() {
	command=$(sed -n "s/.*\"command\": \"\(.*claude-code $1 .*\)\",*$/\1/p" .claude/settings.json)
	printf '{"hook_event_name":"%s","session_id":"%s","transcript_path":"%s","cwd":"%s"%s}\n' \
		"$1" "$session" "$transcript" "$PWD" "$2" | sh -c "$command"
}

# now is the time, with milliseconds where date has them.
now() {
	case $(date +%3N) in
	*N*) date -u +%Y-%m-%dT%H:%M:%S.000Z ;;
	*) date -u +%Y-%m-%dT%H:%M:%S.%3NZ ;;
	esac
}

# say KIND ID MESSAGE adds a record to the transcript.
say() {
	printf '{"type":"%s","uuid":"%s-%s","sessionId":"%s","timestamp":"%s","cwd":"%s","message":%s}\n' \
		"$1" "$session" "$2" "$session" "$(now)" "$PWD" "$3" >>"$transcript"
}

told=$(hook SessionStart ',"source":"startup"')
if [ "$1" = --told ]; then
	printf '%b\n' "$(printf '%s' "$told" | sed 's/.*"additionalContext":"\(.*\)"}}$/\1/')"
	exit
fi

hook UserPromptSubmit ",\"prompt\":\"$1\""
say user 1 "{\"role\":\"user\",\"content\":\"$1\"}"
say assistant 2 '{"id":"1","role":"assistant","stop_reason":"tool_use","content":[{"type":"text","text":"I look at what it prints."},{"type":"tool_use","id":"a","name":"Bash","input":{"command":"sh clock.sh"}}]}'
say user 3 "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"$(sh clock.sh)\"}]}"
echo 'date +%T' >clock.sh
say assistant 4 "{\"id\":\"2\",\"role\":\"assistant\",\"stop_reason\":\"tool_use\",\"content\":[{\"type\":\"text\",\"text\":\"%T has seconds, %H:%M has none.\"},{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"Write\",\"input\":{\"file_path\":\"$PWD/clock.sh\",\"content\":\"date +%T\"}}]}"
say user 5 '{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":"The file clock.sh has been updated."}]}'
last='The clock shows seconds. Fractions of a second are left out: date on macOS has none.'
say assistant 6 "{\"id\":\"3\",\"role\":\"assistant\",\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"$last\"}]}"
hook Stop ",\"last_assistant_message\":\"$last\""
hook SessionEnd ',"reason":"other"'
echo "$last"
