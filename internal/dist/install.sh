#!/bin/sh
# Installs a release of git-context, and removes it without a trace:
#
#	sh install.sh [--uninstall]
#
# The environment says what and where:
#
#	VERSION  the release, as v1.2.3; in the install.sh of a release that release
#	PREFIX   where to install, default ~/.local
#	FROM     a URL or a directory with the archives and SHA256SUMS of the release
#
# The archive is compared with SHA256SUMS before PREFIX is touched. Everything that is
# installed, with the directories that were made for it, is listed in
# PREFIX/share/git-context/manifest before it is written, so that --uninstall also removes
# what an interrupted run left. It needs tar, awk, sha256sum or shasum, and curl or wget.
set -eu

# make dist writes the release here.
release=

main() {
	case $# in
	0) action=install ;;
	1) action=$1 ;;
	*) usage >&2; exit 2 ;;
	esac
	case $action in
	install | --uninstall) ;;
	-h | --help) usage; exit 0 ;;
	*) usage >&2; exit 2 ;;
	esac
	prefix=${PREFIX:-${HOME:?}/.local}
	# A shell that is not asked to expand PREFIX=~/.local leaves the tilde.
	# shellcheck disable=SC2088
	case $prefix in
	'~/'*) prefix=$HOME/${prefix#'~/'} ;;
	/*) ;;
	*) prefix=$PWD/$prefix ;;
	esac
	prefix=${prefix%/}
	newline='
'
	case $prefix in *"$newline"*) fail "PREFIX contains a line feed" ;; esac
	own=$prefix/share/git-context
	manifest=$own/manifest
	work= missing= made= locked= holder=
	umask 022 # what is installed may be read by all, as after make install
	trap finish EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	if [ "$action" = install ]; then install; else uninstall; fi
}

usage() {
	echo 'usage: [VERSION=v1.2.3] [PREFIX=~/.local] [FROM=URL|DIR] sh install.sh [--uninstall]'
}

fail() {
	echo "install.sh: error: $1" >&2
	[ $# -lt 2 ] || echo "hint: $2" >&2
	exit 1
}

# finish leaves nothing of a run that failed: a first installation is taken back, and a
# newer release that was to replace an older one is no longer waiting beside it.
finish() {
	code=$?
	trap - EXIT
	[ -z "$work" ] || rm -rf "$work"
	if [ -n "$made" ]; then
		remove
	elif [ -n "$locked" ]; then
		rm -rf "$own/new" "$own/lock"
	fi
	remove_empty "$missing"
	exit "$code"
}

install() {
	version=${VERSION:-$release}
	[ -n "$version" ] || fail 'VERSION is not set' 'VERSION=v1.2.3 sh install.sh'
	case $version in
	v[0-9]*) ;;
	*) fail "VERSION '$version' is not a release such as v1.2.3" ;;
	esac
	case $version in *[!A-Za-z0-9.+-]*) fail "VERSION '$version' is not a release such as v1.2.3" ;; esac
	from=${FROM:-https://github.com/git-context/git-context/releases/download/$version}
	from=${from%/}
	name=git-context-$version-$(system)
	work=$(mktemp -d "${TMPDIR:-/tmp}/git-context.XXXXXX")
	fetch SHA256SUMS
	fetch "$name.tar.gz"
	check "$name.tar.gz"
	tar -xzf "$work/$name.tar.gz" -C "$work"
	layout "$work/$name" >"$work/layout"
	refuse_strangers
	claim
	[ -f "$manifest" ] || made=yes
	list dir "$missing"
	stage
	"$own/new/1" version || fail "git-context $version does not run on this machine"
	place
	made= missing=
	echo "installed in $prefix"
	case :$PATH: in
	*:"$prefix/bin":*) ;;
	*) echo "hint: add $prefix/bin to PATH" >&2 ;;
	esac
}

# system is what the release calls this machine.
system() {
	os=$(uname -s) arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no archive for '$os' that this script installs" 'on Windows, unpack the zip of the release into a folder on PATH' ;;
	esac
	case $arch in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no archive for the processor '$arch'" 'go install github.com/git-context/git-context/cmd/git-context@latest' ;;
	esac
	echo "$os-$arch"
}

# fetch brings a file of the release.
fetch() {
	if [ -d "$from" ]; then
		[ -f "$from/$1" ] || fail "'$from' has no $1"
		cp "$from/$1" "$work/$1"
		return
	fi
	# curl does not follow a redirect that leaves https.
	case $from in
	https://*) only='=https' ;;
	http://*) only='=http,https' ;;
	*) fail "FROM '$from' is neither a directory nor a URL" ;;
	esac
	if command -v curl >/dev/null; then
		curl -fsSL --proto "$only" -o "$work/$1" "$from/$1" || fail "cannot download $from/$1"
	elif command -v wget >/dev/null; then
		wget -q -O "$work/$1" "$from/$1" || fail "cannot download $from/$1"
	else
		fail 'neither curl nor wget is installed'
	fi
}

# check compares a file with SHA256SUMS.
check() {
	want=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
	[ -n "$want" ] || fail "SHA256SUMS does not list $1"
	if command -v sha256sum >/dev/null; then
		got=$(sha256sum <"$work/$1")
	elif command -v shasum >/dev/null; then
		got=$(shasum -a 256 <"$work/$1")
	else
		fail 'neither sha256sum nor shasum is installed'
	fi
	[ "${got%% *}" = "$want" ] || fail "the checksum of $1 is ${got%% *}, not $want" 'nothing was installed; the download is damaged, or not what was released'
}

# layout prints a line for each file of the release: its mode, the directory below the prefix,
# the name there, and the name in the archive.
layout() (
	cd "$1"
	echo '755 bin git-context git-context'
	for program in git-context-mcp git-context-web; do # older releases have none
		[ ! -f $program ] || echo "755 bin $program $program"
	done
	for page in man/man[157]/*; do
		section=${page#man/}
		echo "644 share/man/${section%/*} ${page##*/} $page"
	done
	echo '644 share/bash-completion/completions git-context completion/git-context.bash'
	echo '644 share/zsh/site-functions _git-context completion/git-context.zsh'
	# fish reads no other directory before it completes git itself.
	echo '644 share/fish/vendor_conf.d git-context.fish completion/git-context.fish'
	echo '644 share/doc/git-context LICENSE LICENSE'
)

# refuse_strangers stops before a file is replaced that this script did not install.
refuse_strangers() {
	while read -r _ dir file _; do
		path=$prefix/$dir/$file
		if { [ -e "$path" ] || [ -L "$path" ]; } && ! grep -qsxF -e "file $dir/$file" "$manifest"; then
			fail "'$path' exists, and this script did not install it" 'make uninstall, or remove it, or set another PREFIX'
		fi
	done <"$work/layout"
}

# claim makes our own directory and locks it. Only the run that made a directory knows that it
# was not there before. So a run that made some does not give up while another has the lock,
# but waits until it can list them.
claim() {
	seconds=60
	until
		missing=$(absent "$own"; echo "$missing")
		mkdir -p "$own" || exit
		take
	do
		[ -n "$missing" ] && [ $seconds -gt 0 ] || busy
		seconds=$((seconds - 1))
		sleep 1
	done
}

# take lets only one run change the prefix. The lock of a killed one counts for nothing.
take() {
	if ! (set -C && echo $$ >"$own/lock") 2>/dev/null; then
		holder=$(cat "$own/lock" 2>/dev/null) || return 1 # it has just ended
		! kill -0 "${holder:-0}" 2>/dev/null || return 1
		echo $$ >"$own/lock" || exit
	fi
	locked=yes
}

busy() {
	[ -n "$holder" ] || fail "another process is at work in $prefix" 'run this again'
	fail "process '$holder' is at work in $prefix" "if it is not, rm '$own/lock'"
}

# list adds lines to the manifest: "dir" and a directory that this script makes, from the
# root, or "file" and a file that it installs, from the prefix.
list() { [ -z "$2" ] || echo "$2" | sed "s/^/$1 /" >>"$manifest"; }

# absent prints the directories that mkdir -p would make, the deepest first.
absent() {
	path=$1
	while [ ! -d "$path" ]; do
		echo "$path"
		path=$(dirname "$path")
	done
}

# stage copies the files into the prefix's file system, so that placing them is renaming.
# The first is the program.
stage() {
	rm -rf "$own/new"
	mkdir "$own/new"
	count=0
	while read -r mode _ _ source; do
		count=$((count + 1))
		cp "$work/$name/$source" "$own/new/$count"
		chmod "$mode" "$own/new/$count"
	done <"$work/layout"
}

# place lists what comes, renames it to its place, removes what only an older release had,
# and lists what there is.
place() {
	count=0
	while read -r _ dir file _; do
		list dir "$(absent "$prefix/$dir")"
		mkdir -p "$prefix/$dir"
		list file "$dir/$file"
		count=$((count + 1))
		mv -f "$own/new/$count" "$prefix/$dir/$file"
		echo "file $dir/$file" >>"$work/files"
	done <"$work/layout"
	grep '^file ' "$manifest" | grep -vxF -f "$work/files" | while read -r _ path; do rm -f "$prefix/$path"; done
	{ grep '^dir ' "$manifest" || :; cat "$work/files"; } | sort -u >"$own/new/manifest"
	mv -f "$own/new/manifest" "$manifest"
	rm -rf "$own/new" "$own/lock"
	locked=
}

uninstall() {
	[ -d "$own" ] || fail "this script has installed nothing in $prefix" 'PREFIX=DIR sh install.sh --uninstall'
	take || busy
	remove
	locked=
	echo "removed from $prefix"
}

# remove takes away the files of the manifest, then the directories that were made and are
# empty. Until the rest is gone, the manifest says what is left to remove.
remove() {
	dirs=
	if [ -f "$manifest" ]; then
		sed -n 's/^file //p' "$manifest" | while IFS= read -r path; do rm -f "$prefix/$path"; done
		dirs=$(sed -n 's/^dir //p' "$manifest" | sort -r)
	fi
	remove_empty "$dirs"
	rm -rf "$own"
	remove_empty "$dirs"
}

# remove_empty removes directories, of which each is listed before the one around it. What
# others put into one stays.
remove_empty() {
	echo "$1" | while IFS= read -r path; do
		[ ! -d "$path" ] || rmdir "$path" 2>/dev/null || :
	done
}

# Of a script that was cut off while it was downloaded, nothing runs.
main "$@"
