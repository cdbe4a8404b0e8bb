#!/bin/sh
# Makes tasks, and shows and reopens them, in a clone whose remote has memory:
#
#	tasks.sh add <LIST     one task a line: NAME TEXT
#	tasks.sh               lists the tasks: state, attempt, worker
#	tasks.sh again NAME    opens a task that failed
#
# A task is a memory branch task/NAME, whose purpose is TEXT.
set -u
. "$(dirname "$0")/lib.sh"

add() {
	here=$PWD
	aside || fail "cannot read the memory of '$remote'"
	set --
	while read -r name text; do
		good_name "$name" || fail "a task's name has letters, digits, '-' and '_', not '$name'"
		[ -n "$text" ] || fail "task '$name' has no text"
		state "$name"
		[ -z "$value" ] || fail "task '$name' was worked on before: choose another name"
		git context branch "task/$name" --from main --no-switch --purpose "$text" >/dev/null || exit 1
		set -- "$@" "--force-with-lease=$heads/task/$name:" "$heads/task/$name"
	done
	[ $# -gt 0 ] || fail 'no tasks on standard input' 2
	git push -q --atomic "$remote" "$@" || fail 'no task was added'
	cd "$here" && echo "added $(($# / 2)) tasks"
}

list() {
	look || fail "cannot read '$remote'"
	{
		tasks
		git for-each-ref --format='%(refname)' "$claims/" | sed "s,^$claims/,,"
	} | sort -u | while read -r name; do
		state "$name"
		echo "$name ${state:-open} $try $who"
	done
}

again() {
	look || fail "cannot read '$remote'"
	state "$1"
	case $state in failed | abandoned) ;; *) fail "task '$1' has not failed" ;; esac
	if ! new=$(claim "$1" "$value" "open $try -") || ! move "$1" "$value" "$new"; then
		fail "task '$1' was not opened"
	fi
}

case ${1:-} in
add) add ;;
'') list ;;
again) again "${2:?NAME}" ;;
*) fail 'usage: tasks.sh [add | again NAME]' 2 ;;
esac
