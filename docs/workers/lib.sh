# What tasks.sh, worker.sh and collect.sh share. docs/workers.md describes the states and why
# no crash, delay or race of workers does a task twice.
#
# The claim of task NAME is the ref refs/notes/workers/NAME. Its newest commit has the state
# as its subject, and the same line as a git note of the task:
#
#	STATE TRY WORKER [TIP]
#
# TRY counts the attempts. TIP is the last memory commit of an attempt that ended.

remote=${WORKERS_REMOTE:-origin}
lease=${WORKERS_LEASE:-300} # seconds without a heartbeat after which a task is taken over
poll=${WORKERS_POLL:-1}     # seconds between two looks at the remote or at a running command
heads=refs/context/heads
tracking=refs/context/remotes/$remote/heads
claims=refs/notes/workers
export GIT_TERMINAL_PROMPT=0

fail() {
	echo "${0##*/}: error: $1" >&2
	exit "${2:-1}"
}

# look fetches the tasks and all claims.
look() {
	git fetch -q --no-tags --no-write-fetch-head --prune "$remote" \
		"+$heads/task/*:$tracking/task/*" "+$claims/*:$claims/*"
}

# tasks lists the names of the tasks that are not merged.
tasks() {
	git for-each-ref --format='%(refname)' "$tracking/task/" | sed "s,^$tracking/task/,,"
}

good_name() {
	case $1 in '' | -* | *[!A-Za-z0-9_-]*) return 1 ;; esac
}

# state reads the claim of a task: value (the commit), state, try, who and tip. The subject
# was written by others: only plain characters of it are read, and a try must be a number.
state() {
	value='' state='' try=0 who='' tip=''
	line=$(git for-each-ref --format='%(objectname) %(contents:subject)' "$claims/$1" | tr -cd 'A-Za-z0-9 ._\n-')
	[ -n "$line" ] || return 0
	read -r value state try who tip <<-END
		$line
	END
	case $try in '' | *[!0-9]* | ?????????*)
		echo "${0##*/}: the claim of '$1' is unreadable: $value" >&2
		state=unreadable try=0
		;;
	esac
}

# claim makes the next commit of a claim, and prints it: claim NAME OLD STATE-LINE.
claim() {
	task=$(git rev-parse --verify -q "$tracking/task/$1") || return 1
	blob=$(printf '%s\n' "$3" | git hash-object -w --stdin) || return 1
	tree=$(printf '100644 blob %s\t%s\n' "$blob" "$task" | git mktree) || return 1
	git commit-tree ${2:+-p "$2"} -m "$3" "$tree"
}

# move replaces the claim OLD ('' for none) of NAME by NEW at the remote, with all other refs
# that follow or with none: move NAME OLD NEW [LEASE-OR-REFSPEC...]. It returns 0 if the
# remote has NEW, 1 if another process was first, 2 if it is not known or not possible now. A
# push whose answer was lost has had its effect, so the remote is asked.
move() {
	ref=$claims/$1 old=$2 new=$3
	shift 3
	# Hooks before a push are for code, and would run at each heartbeat.
	git push -q --no-verify --atomic --force-with-lease="$ref:$old" "$remote" "$new:$ref" "$@" 2>"$tmp/push" && return 0
	now=$(git ls-remote "$remote" "$ref" 2>/dev/null) || return 2
	now=${now%%[!0-9a-f]*}
	[ "$now" = "$new" ] && return 0
	[ "$now" = "$old" ] && return 2
	return 1
}

# aside enters a scratch repository with the memory of the remote, which shares the objects and
# the settings of this one. What is made there and not pushed is gone with it, so a push that
# was refused leaves nothing to take back.
aside() {
	own=$(cd "$(git rev-parse --git-common-dir)" && pwd) && url=$(git remote get-url "$remote") || return 1
	top=$(git rev-parse --show-toplevel 2>/dev/null) || top=$own
	format=$(git rev-parse --show-object-format)
	rm -rf "$tmp/aside" && git init -q --bare --object-format="$format" "$tmp/aside" && cd "$tmp/aside" || return 1
	{ printf '[include]\n\tpath = "%s/config"\n' "$own" && cat config; } >config.new && mv config.new config || return 1
	case $url in ./* | ../*) git config "url.$top/$url.insteadOf" "$url" ;; esac
	echo "$own/objects" >objects/info/alternates
	git context init -q && look
}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/git-context-workers.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
