#!/bin/sh
# Plays a short story with two agents in a scratch folder: one works and hands over,
# the other goes on in a clone of its own, both merge and settle a contradiction.
#
#	test/demo.sh BINARY
#
# It stops at the first failure. The folder stays.
set -eu

bin=$(cd "$(dirname "$1")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/git-context-demo.XXXXXX")

# Nothing of the user's settings, nor of a git or an agent that runs this.
unset $(git rev-parse --local-env-vars) GIT_CONTEXT_BRANCH GIT_CONTEXT_AGENT GIT_CONTEXT_SESSION GIT_CONTEXT_MODEL
export PATH="$bin:$PATH" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_PAGER=cat LC_ALL=C
export GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.com GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.com

ended() {
	status=$?
	[ $status -eq 0 ] || printf '\ndemo: FAILED (exit %s); the folder is %s\n' $status "$work" >&2
}
trap ended EXIT

bold='' plain=''
if [ -t 1 ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[m')
fi

# say tells what comes next; run shows a command and what it prints; quietly does
# not print it.
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
run() {
	printf '$ %s\n' "$1"
	eval "$1" 2>&1
}
quietly() {
	printf '$ %s\n' "$1"
	eval "$1" >"$work/quiet" 2>&1 || { cat "$work/quiet"; return 1; }
}
as() {
	cd "$work/$1"
	export GIT_CONTEXT_AGENT="$1"
}

git init -q --bare -b main "$work/hub.git"
git clone -q "$work/hub.git" "$work/ann" 2>/dev/null
as ann
printf 'package store\n\n// Pool hands out connections.\ntype Pool struct{}\n' >pool.go
git add . && git commit -q -m 'Add the pool' && git push -q

say 'Ann, an agent, looks for a bug. She records steps and commits what she found.'
quietly "git context init --goal 'Survive a database restart' --todo 'Release the slot'"
quietly "git context record -o 'FAIL: pool exhausted' -t 'Put keeps the slot of a broken connection' -a 'go test'"
quietly "git context commit -m 'Find the leak' -m 'Put keeps the slot of a broken connection.'"

say 'She tries an idea on a branch. It fails, and memory keeps the reason.'
quietly "git context branch retry --purpose 'Does a retry hide the errors?'"
quietly "git context merge retry --abandon -m 'It doubles the load'"

say 'Her session ends. She hands over and shares the memory.'
quietly "git context handover -m 'The leak is understood' -m 'Release the slot in Put, then run the load test.'"
run 'git context push'

say 'Bob, another agent, starts in a clone of his own. One command tells him where the work is.'
quietly 'git clone -q ../hub.git ../bob'
as bob
quietly 'git context init'
run 'git context | grep -v -e "^$" -e ^More'

say 'He fixes the bug on a branch and merges it. In the meantime Ann works too.'
quietly "git context branch fix --purpose 'Release the slot in Put'"
quietly "git context commit -m 'Release the slot' -m 'No request of 500 fails now, where 39 did.' --outcome success"
quietly "git context merge fix --into main --done Release"
quietly "git context remember lock 'A channel guards the pool.'"
quietly 'git context sync'
as ann
quietly "git context remember lock 'Each half of the pool has a mutex.'"

say 'Both wrote the topic "lock". Everything else is united; the contradiction waits for an answer.'
run 'git context sync 2>/dev/null || echo "exit $?"'
quietly 'git context resolve lock --theirs'
run 'git context sync'

say 'Weeks later: was this problem met before? How did the work go?'
run "git context recall -n 1 'Put keeps the slot of a connection that is broken'"
run 'git context log --oneline --graph -n 4'

say 'The code is unchanged: no file, branch or commit of it.'
run 'git status --short --branch'

printf '\nLook around:  cd %s && PATH=%s:$PATH git context\nRemove it:    rm -rf %s\n' "$work/ann" "$bin" "$work"
