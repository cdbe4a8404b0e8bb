#!/bin/sh
# Plays an agent's trace into the memory of a scratch repository, and reads that
# memory at every resolution, with git context and with git alone.
#
#	test/demo.sh BINARY [TRACE]
#
# TRACE is a SWE-agent trajectory; without one a small bundled one is played.
# It stops at the first failure. The repository stays.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$(dirname "$1")" && pwd)
trace=${2:-$here/testdata/pool.traj}
trace=$(cd "$(dirname "$trace")" && pwd)/$(basename "$trace")
name=$(basename "$trace")
work=$(mktemp -d "${TMPDIR:-/tmp}/git-context-demo.XXXXXX")

# Nothing of the user's settings, nor of a git or an agent that runs this.
unset $(git rev-parse --local-env-vars) GIT_CONTEXT_BRANCH GIT_CONTEXT_AGENT GIT_CONTEXT_SESSION GIT_CONTEXT_MODEL
export PATH="$bin:$PATH" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_PAGER=cat LC_ALL=C

ended() {
	status=$?
	[ $status -eq 0 ] || printf '\ndemo: FAILED (exit %s); the repository is %s\n' $status "$work/orders" >&2
}
trap ended EXIT

bold='' plain=''
if [ -t 1 ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[m')
fi

# say tells what comes next; run shows a command and what it prints.
say() { printf '\n%s# %s%s\n' "$bold" "$*" "$plain"; }
run() {
	printf '\n$ %s\n' "$1"
	eval "$1"
}

# next N puts the next N steps of the trace into steps.jsonl. STEP as
# `--log --json` gives it becomes what `record --stdin` takes: one to a line,
# without what the branch that it comes from made of it. Quotes inside of texts
# are escaped, so that these patterns match only what JSON itself has.
next() {
	played=$((played + $1))
	git -C ../recording context --log --json --steps "$1" --skip $((total - played)) >../page.json
	sed -e 's/^.*"steps":\[//' -e 's/},{"id":/}\
{"id":/g' ../page.json | sed -e 's/"step":[0-9]*,//' -e 's/"origin":"[^"]*",//' -e 's/,"pending":[a-z]*}.*/}/' >../steps.jsonl
	[ "$(grep -c . ../steps.jsonl)" -eq "$1" ]
}

# What the commits say: of the bundled trace its own story, of another one
# only which steps they hold.
if [ $# -lt 2 ]; then
	goal='Orders answers through a database restart'
	purpose='Find out why every deploy ends in 500s, and fix it'
	one='Reproduce the leak of connections'
	one_more='Put drops a broken connection without giving its slot back; TestPoolForgetsBroken shows it.'
	two='Give the slot back when a connection breaks or cannot be made'
	two_more='Put and a failing dial both return their slot, and dial runs outside the lock.'
	side=try-newest-first side_purpose='Does handing out the newest idle connection first avoid the dead ones?'
	three='Newest first fails as often, only later'
	main=check-idle main_purpose='Ask a connection that was idle whether it is alive'
	four='Ping what was idle for a second'
	four_more='One request of 500 fails across a restart, where 39 did. A busy pool pays nothing.'
	word=exhausted
else
	goal="What $name was about"
	purpose="The trace of $name, as it was recorded"
	one='The first steps' one_more='How the agent began.'
	two='The steps after those' two_more='How it went on.'
	side=aside side_purpose='A branch that is given up' three='Steps taken aside'
	main=onward main_purpose='A branch that is merged' four='The last steps' four_more='How the agent ended.'
	word=Observation
fi

say "A repository with some code, in $work/orders"
mkdir -p "$work/orders/store" "$work/recording"
cd "$work/orders"
git init -q -b main . && git init -q -b main ../recording
for dir in . ../recording; do
	git -C "$dir" config user.name Demo
	git -C "$dir" config user.email demo@example.com
done
printf 'module orders\n\ngo 1.26\n' >go.mod
printf 'package store\n\n// Pool hands out connections.\ntype Pool struct{}\n' >store/pool.go
git add . && git commit -q -m 'Add the pool'
run 'git log --oneline'

say "A trace: $name, imported into a repository of its own to play from"
git -C ../recording context init --purpose "$name" >../init.txt
run "git -C ../recording context import --from swe-agent '$trace'"
total=$(git -C ../recording context --log --json --steps 1 | sed 's/^{"branch":"main","total":\([0-9]*\),.*/\1/')
quarter=$((total / 4)) played=0
[ "$quarter" -gt 0 ] || { echo "demo: a trace of at least 4 steps is needed" >&2; exit 1; }

say 'INIT: a roadmap and the first memory branch'
run "git context init --goal '$goal' --purpose '$purpose' --milestone 'Reproduce it' --milestone 'Fix it' --todo 'Say so in the release notes'"

say "RECORD: the first $quarter steps, one JSON line each (a hook does this for every tool call)"
next $quarter
run 'git context record --stdin <../steps.jsonl'
say 'COMMIT: they become a commit, and the roadmap is revised with it'
run "git context commit -m '$one' -m '$one_more' --done 'Reproduce it'"

say 'Code goes on beside it; the next memory commit names the code it was made on'
printf '\nfunc (p *Pool) Put(c *Conn) {}\n' >>store/pool.go
run "git commit -q -a -m 'Give the slot back'"
next $quarter
run 'git context record --stdin <../steps.jsonl >../answers.jsonl'
run "git context commit -m '$two' -m '$two_more' --decide 'No retries in the pool: callers know what may be repeated'"
run "git context remember pool --path store/pool.go 'A slot belongs to a connection: whoever drops one gives its slot back.'"

say 'BRANCH: an idea, explored without disturbing main'
run "git context branch $side --purpose '$side_purpose'"
next $quarter
run 'git context record --stdin <../steps.jsonl >../answers.jsonl'
run "git context commit -m '$three'"
run 'git context switch main'
run "git context merge $side --abandon"

say 'BRANCH again, and MERGE what worked'
run "git context branch $main --purpose '$main_purpose'"
next $((total - played))
run 'git context record --stdin <../steps.jsonl >../answers.jsonl'
run "git context commit -m '$four' -m '$four_more'"
run 'git context switch main'
run "git context merge $main -m 'Take it' --done 'Fix it'"

say 'One more step by hand: pending until the next COMMIT'
run "git context record -t 'Only the release notes are left' -a 'grep -n pool CHANGELOG'"

say 'CONTEXT: the project, its branches, where this one stands'
run 'git context'
say 'CONTEXT: the newest two commits in full'
run 'git context -k 2'
say 'CONTEXT: one branch'
run "git context --branch $main"
say 'CONTEXT: one commit'
run 'git context --commit main~2'
say 'CONTEXT: the end of the trace, then the page before it'
run 'git context --log'
run 'git context --log --lines 10 --skip 20'
say 'CONTEXT: metadata, and anything as JSON'
run 'git context --metadata branch'
run 'git context --metadata file_structure'
run 'git context --log --steps 1 --json'

say 'The same memory, read with git alone'
run "git log --graph --oneline --decorate --decorate-refs='refs/context/*' --notes=context --glob=refs/context/heads"
run 'git log -1 --notes=context CONTEXT_HEAD^2^'
run 'git show CONTEXT_HEAD:log.md | head -n 24'
run "git grep -n -m 2 $word CONTEXT_HEAD"
run 'git notes --ref=context show CONTEXT_HEAD'
run 'git diff --stat CONTEXT_HEAD~1 CONTEXT_HEAD'
run 'git gc -q'
run 'git fsck --strict'

say 'And the code has seen nothing of it'
run 'git status --short --branch'
run 'git log --oneline'

printf '\nThe repository is %s\nLook around: cd %s && PATH=%s:$PATH git context\n' "$work/orders" "$work/orders" "$bin"
