#!/bin/sh
# Prints, as Markdown, what memory says about a range of the code:
#
#	memory-report.sh BASE..HEAD
#
# the memory commits that belong to its commits, with their outcome; decisions; topics that
# were written or that describe changed files; open questions. It fetches the memory of the
# remote first, so it is for clones of a build.
#
#	REPORT_LIMIT   the most bytes that it prints, default 60000 (a comment of GitHub: 65536)
#	REPORT_REMOTE  whose memory, default origin
#
# Memory was written by anybody who may push. All texts are in code blocks, in which hosts make
# no links, mentions or markup, and each line of them begins with two spaces and a mark, so
# that none closes its block. Outside of blocks are only numbers and hashes.
set -eu

case ${1-} in
-* | '' | *...*) bad=1 ;;
*?..?*) bad= ;;
*) bad=1 ;;
esac
fail() {
	echo "memory-report.sh: error: $1" >&2
	exit 1
}

if [ $# -ne 1 ] || [ -n "$bad" ]; then
	echo 'usage: memory-report.sh BASE..HEAD' >&2
	exit 2
fi
remote=${REPORT_REMOTE:-origin}
limit=${REPORT_LIMIT:-60000}
base=$(git rev-parse --verify -q "${1%%..*}^{commit}") || fail 'unknown base'
head=$(git rev-parse --verify -q "${1#*..}^{commit}") || fail 'unknown head'
tracking=refs/context/remotes/$remote
tmp=$(mktemp -d "${TMPDIR:-/tmp}/memory-report.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
# git asks for a name although nothing is committed here.
: "${GIT_COMMITTER_NAME:=memory-report}" "${GIT_COMMITTER_EMAIL:=memory-report@localhost}"
: "${GIT_AUTHOR_NAME:=memory-report}" "${GIT_AUTHOR_EMAIL:=memory-report@localhost}"
export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL
export LC_ALL=C GIT_PAGER=cat GIT_TERMINAL_PROMPT=0

# quote prints at most $1 lines of at most 300 bytes, marked by $2. It drops bytes that are no
# UTF-8, control characters, and characters that hide or reorder text.
quote() {
	tr -d '\000-\010\013-\037\177' | awk -v most="$1" -v mark="$2" '
		function utf8(text,    kept) {
			while (text != "") {
				if (match(text, /^([\001-\177]+|[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277])/))
					kept = kept substr(text, 1, RLENGTH)
				else
					RLENGTH = 1
				text = substr(text, RLENGTH + 1)
			}
			gsub(/\302[\200-\237\255]|\330[\200-\205\234]|\333\235|\341\240\216|\342\200[\213-\217\250-\256]|\342\201[\240-\257]|\357\273\277|\357\277[\271-\273]|\363\240[\200-\207][\200-\277]/, "", kept)
			return kept
		}
		/^[ \t]*$/ { next }
		++n > most { next }
		{
			gsub(/\t/, " ")
			cut = length($0) > 300 ? " [...]" : ""
			print "  " mark " " utf8(substr($0, 1, 300)) cut
		}
		END { if (n > most) print "  " mark " [" n - most " more]" }'
}

# block prints a heading and a file of quoted lines, or nothing if it is empty.
block() {
	[ -s "$2" ] || return 0
	printf '\n### %s\n\n```text\n' "$1"
	cat "$2"
	echo '```'
}

# items prints the items of a section of the roadmap at a commit of it.
items() {
	git cat-file blob "$1:main.md" 2>/dev/null | awk -v section="## $2" '
		/^## / { on = $0 == section; next }
		on && /^- / { print substr($0, 3) }'
}

# roadmap_at prints the commit of the roadmap that a revision of memory was made with.
roadmap_at() {
	git log -1 --format='%(trailers:key=Context-Roadmap,valueonly)' "$1" 2>/dev/null | grep -o '^[0-9a-f]\{40,64\}' || :
}

# fit cuts at a line, so that all is at most limit bytes, and closes an open block.
fit() {
	awk -v most=$((limit - 200)) '
		full { lost++; next }
		{ size += length($0) + 1 }
		size > most { full = 1; lost = 1; next }
		/^```/ { open = !open }
		{ print }
		END { if (full) { if (open) print "```"; print "\n" lost " lines did not fit." } }'
}

count() { wc -l <"$1" | tr -d ' '; }

# memory fetches the remote's memory. It returns 1 if the remote has none.
memory() {
	git ls-remote "$remote" refs/context/roadmap refs/heads/context/roadmap >"$tmp/refs" || fail "cannot read '$remote'"
	[ -s "$tmp/refs" ] || return 1
	if ! git context init -q >"$tmp/out" 2>&1 || ! git context fetch "$remote" >"$tmp/out" 2>&1; then
		cat "$tmp/out" >&2
		fail "cannot fetch the memory of '$remote'"
	fi
}

report() {
	echo '<!-- git-context memory report -->'
	echo '## What memory says about this change'
	echo
	if ! memory; then
		echo 'The remote has no memory.'
		return
	fi
	git rev-list "$base..$head" >"$tmp/codes"
	# Lines of memory commits begin with a hash, those of code commits with spaces.
	git context link --all "$base..$head" >"$tmp/out"
	sed -n '/^[0-9a-f]\{7,40\} /p' "$tmp/out" >"$tmp/links"
	while read -r hash line; do
		[ -n "$hash" ] || continue # of no lines, a here-document has one
		printf '%s\n' "$line" | quote 1 '*'
		git log -1 --format=%b "$hash" | sed '/^Context-Id: /,$d' | quote 6 ' '
	done <<-END >"$tmp/learned"
		$(head -n 50 "$tmp/links")
	END

	# What was made on these commits: also topics, which are revisions of memory, but no commits
	# that link lists.
	git log --glob='refs/context/heads/*' --glob="$tracking/heads/*" \
		--format='%H %(trailers:key=Code-Commit,valueonly,separator=%x20)' |
		awk 'NR == FNR { code[$1]; next } $2 in code { print $1 }' "$tmp/codes" - | head -n 500 >"$tmp/made"
	: >"$tmp/was"
	{ cut -d ' ' -f 1 "$tmp/links" | head -n 500; cat "$tmp/made"; } | while read -r revision; do
		now=$(roadmap_at "$revision") was=$(roadmap_at "$revision^1")
		if [ -n "$now" ] && [ "$now" != "$was" ]; then
			[ -z "$was" ] || items "$was" Decisions >"$tmp/was"
			items "$now" Decisions | sort -u | sort - "$tmp/was" "$tmp/was" | uniq -u # what only now has
			: >"$tmp/was"
		fi
	done | sort -u | quote 30 '*' >"$tmp/decided"
	while read -r revision; do
		git diff-tree -r --no-commit-id --name-status "$revision" -- topics
	done <"$tmp/made" | sort -u | tr '\t' ' ' |
		sed 's/^A /new: /; s/^D /forgotten: /; s/^M /changed: /; s,: topics/\(.*\)\.md$,: \1,' | quote 30 '*' >"$tmp/written"

	git -c core.quotePath=false diff --name-only "$base...$head" >"$tmp/files"
	git context topics --stale >"$tmp/out"
	awk 'NR == FNR { files[$0]; next }
		{ for (f in files) if (index($0, f)) { print; next } }' "$tmp/files" "$tmp/out" | quote 30 '*' >"$tmp/stale"

	newest=refs/context/roadmap
	! git rev-parse --verify -q "$tracking/roadmap" >/dev/null || newest=$tracking/roadmap
	items "$newest" 'Open Questions' | quote 20 '?' >"$tmp/open"

	echo "$(count "$tmp/codes") code commits, $(count "$tmp/links") memory commits that belong to them."
	# What is longest is last, because it is cut first.
	block 'Decided meanwhile' "$tmp/decided"
	block 'Open questions of the project' "$tmp/open"
	block 'Topics that were written' "$tmp/written"
	block 'Topics that describe files of this change and are older' "$tmp/stale"
	block 'Learned, newest first' "$tmp/learned"
}

report >"$tmp/report"
fit <"$tmp/report"
