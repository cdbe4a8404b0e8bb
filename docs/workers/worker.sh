#!/bin/sh
# Works on tasks until none is open or in work:
#
#	worker.sh COMMAND [ARG...]
#
# For each task it runs COMMAND ARG... TEXT. In the environment are WORKERS_TASK, the name, and
# GIT_CONTEXT_BRANCH, the memory branch of this attempt: what COMMAND records and commits is
# there. The end of its output becomes the result, exit 0 means success. COMMAND must end when
# it gets SIGTERM.
#
#	WORKERS_NAME    who works, default the machine's name
#	WORKERS_BEAT    seconds between two heartbeats, default 30
#	WORKERS_LEASE, WORKERS_POLL, WORKERS_REMOTE: see lib.sh
#
# Each worker needs a clone, or a worktree of one, with memory (git context init).
set -u
[ $# -gt 0 ] || { sed -n '4s/^#./usage:/p' "$0" >&2; exit 2; }
. "$(dirname "$0")/lib.sh"
beat=${WORKERS_BEAT:-30}
# Two workers that made equal claims would both believe that theirs was accepted.
me=$(printf %s "${WORKERS_NAME:-$(uname -n)}" | tr -cd 'A-Za-z0-9._-')-$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')
held='' job=''

say() { echo "$me: task $name: $*" >&2; }

# choose finds a task to claim, in any order, so that workers do not meet at the first one. It
# returns 1 if others have all that is left, 2 if nothing is left.
choose() {
	found=2
	seed=$(od -An -N3 -tu4 /dev/urandom)
	for name in $(tasks | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand(), $0 }' | sort | cut -d ' ' -f 2); do
		good_name "$name" || continue
		state "$name"
		case $state in
		'' | open | released) return 0 ;;
		claimed | alive) expired && return 0; found=1 ;;
		esac
	done
	return $found
}

# expired reports that a claim had the same value for the time of a lease, by this machine's
# clock alone. Clocks of other machines do not count: a claim contains no time.
expired() {
	clock=$(date +%s) was='' since=''
	[ ! -f "$tmp/seen.$name" ] || read -r was since <"$tmp/seen.$name"
	[ "$was" = "$value" ] || { echo "$value $clock" >"$tmp/seen.$name"; return 1; }
	[ $((clock - since)) -ge "$lease" ]
}

# heartbeat renews the claim, with the status of move. A commit whose push has an unknown end
# is pushed again, and no other: a late arrival of the first would look like another worker.
unknown=''
heartbeat() {
	[ -n "$unknown" ] || unknown=$(claim "$name" "$held" "alive $try $me") || return 2
	move "$name" "$held" "$unknown"
	ended=$?
	[ $ended -ne 0 ] || held=$unknown unknown=''
	return $ended
}

# run runs the command and sends heartbeats until it ends. The loop is this process, so that a
# killed worker sends none. It returns 1 if the task was taken over.
run() {
	GIT_CONTEXT_BRANCH=$branch GIT_CONTEXT_AGENT=$me WORKERS_TASK=$name "$@" "$text" >"$tmp/out" 2>&1 </dev/null &
	job=$! last=$(date +%s) code=0
	while sleep "$poll" && kill -0 "$job" 2>/dev/null; do
		[ $(($(date +%s) - last)) -ge "$beat" ] || continue
		heartbeat
		case $? in
		0) last=$(date +%s) ;;
		1) kill "$job" 2>/dev/null; wait "$job"; job=''; return 1 ;;
		esac
	done
	wait "$job" || code=$?
	job=''
}

# result makes the memory commit of the task. What the command recorded becomes part of it.
result() {
	end="done" outcome=success
	[ "$code" -eq 0 ] || end=failed outcome=failed
	{
		echo "Task $name: $outcome"
		echo
		[ "$code" -eq 0 ] || echo "exit $code"
		tail -n 20 "$tmp/out"
	} | git context commit -b "$branch" --agent "$me" --outcome "$outcome" -q -F -
}

# finish pushes the attempt together with the claim, at the value that this worker holds. If
# another worker has the task, neither is pushed. It waits for a remote that does not answer.
finish() {
	while [ -n "$unknown" ]; do
		heartbeat
		case $? in 1) return 1 ;; 2) sleep "$poll" ;; esac
	done
	tip=$(git rev-parse "$heads/$branch") && new=$(claim "$name" "$held" "$end $try $me $tip") || return 1
	waited=$(date +%s)
	while :; do
		move "$name" "$held" "$new" "--force-with-lease=$heads/$branch:" "$tip:$heads/$branch"
		case $? in
		0) held=''; return 0 ;;
		1) return 1 ;;
		esac
		[ $(($(date +%s) - waited)) -lt $((lease * 4)) ] || { cat "$tmp/push" >&2; return 1; }
		sleep "$poll"
	done
}

drop() {
	git context branch -D "$branch" --yes >/dev/null 2>&1
	held='' unknown=''
}

work() {
	branch=try/$name.$try
	text=$(git context metadata get branch.purpose --at "$remote/task/$name" | sed '1{/^# as of /d;}')
	git context branch "$branch" --no-switch --from "$remote/task/$name" --purpose "${text:-$name}" >/dev/null || exit 1
	if ! run "$@"; then
		say "taken over, attempt $try is dropped"
	elif ! result; then
		exit 1
	elif finish; then
		say "$end"
	else
		say "not accepted, attempt $try is dropped"
	fi
	drop
}

# release lets others take the task at once.
release() {
	new=$(claim "$name" "$held" "released $try $me") && move "$name" "$held" "$new"
}

stop() {
	[ -z "$job" ] || { kill "$job" 2>/dev/null; wait "$job"; }
	[ -z "$held" ] || { release; drop; }
	rm -rf "$tmp"
}
trap stop EXIT

while :; do
	look || { sleep "$poll"; continue; }
	choose
	case $? in
	1) sleep "$poll"; continue ;;
	2) exit 0 ;;
	esac
	try=$((try + 1)) taken=$state
	new=$(claim "$name" "$value" "claimed $try $me") || continue
	move "$name" "$value" "$new"
	case $? in
	1) continue ;;
	2) cat "$tmp/push" >&2; sleep "$poll"; continue ;;
	esac
	held=$new
	case $taken in claimed | alive) say "taken over from $who, attempt $try" ;; esac
	work "$@"
done
