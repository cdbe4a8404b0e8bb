#!/bin/sh
# Merges finished tasks into the memory branch main, notes their outcome, and pushes:
#
#	collect.sh
#
# Any number of these may run, at any time. All is made in a scratch repository and pushed at
# once with the claims, at the values that were seen: if anything moved, nothing is pushed,
# and the next round begins from what the remote has. Exit 3: a merge has conflicts.
set -u
. "$(dirname "$0")/lib.sh"

# open makes a branch of an attempt that ended, if the remote has what the claim says.
open() {
	branch=try/$name.$try
	[ "$(git rev-parse -q --verify "$tracking/$branch")" = "$tip" ] ||
		{ echo "task $name: the remote's '$branch' is not what $who finished" >&2; return 1; }
	git context switch "$branch" >/dev/null && git context switch main >/dev/null
}

# take merges one attempt, or abandons it, and prints what to push.
take() {
	open || return 1
	case $state in
	done)
		git context merge "$branch" --into main -q -m "Merge task $name" >/dev/null 2>"$tmp/merge"
		case $? in
		0) ;;
		3) git context merge --abort --into main >/dev/null; conflicts=1
			echo "task $name: conflict; git context merge $remote/$branch" >&2
			return 1 ;;
		*) cat "$tmp/merge" >&2; return 1 ;;
		esac
		new=$(claim "$name" "$value" "merged $try $who $tip") &&
			git context note "$tip" --outcome success >/dev/null || return 1
		echo ":$heads/task/$name"
		;;
	failed)
		why=$(git log -1 --format=%b "$tip" | head -n 1)
		git context merge "$branch" --abandon -m "${why:-failed}" >/dev/null || return 1
		new=$(claim "$name" "$value" "abandoned $try $who $tip") &&
			git context note "$tip" --outcome failed >/dev/null || return 1
		;;
	esac
	printf '%s\n' "--force-with-lease=$claims/$name:$value" "$new:$claims/$name" "$heads/$branch"
}

# round takes up to 20 tasks. It returns 0 if it pushed some, 1 if nothing is left, 2 if it
# has to be repeated.
round() {
	aside || return 2
	taken=0 conflicts=0
	: >"$tmp/refs"
	for name in $(tasks); do
		good_name "$name" || continue
		state "$name"
		case $state in done | failed) ;; *) continue ;; esac
		take >"$tmp/taken" || continue
		cat "$tmp/taken" >>"$tmp/refs"
		taken=$((taken + 1))
		[ $taken -lt 20 ] || break
	done
	[ $taken -gt 0 ] || return 1
	set --
	while read -r ref; do set -- "$@" "$ref"; done <"$tmp/refs"
	git push -q --no-verify --atomic "$remote" "$heads/main" refs/context/roadmap refs/notes/context "$@" 2>"$tmp/push" || return 2
	echo "collected $taken tasks"
}

here=$PWD lost=0 conflicts=0
while :; do
	round
	ended=$?
	cd "$here" || exit 1
	case $ended in
	0) lost=0 ;;
	1) [ $conflicts -eq 0 ] && exit 0 || exit 3 ;;
	2)
		lost=$((lost + 1))
		[ $lost -lt 20 ] || { cat "$tmp/push" >&2; fail "the remote did not take a push in $lost rounds"; }
		sleep "$poll"
		;;
	esac
done
