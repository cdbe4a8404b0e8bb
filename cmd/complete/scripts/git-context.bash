# bash completion for git-context.
#
# Git's completion calls _git_context for `git context`, and so for aliases of it; it
# looks for this file by the name git-context among bash-completion's, which also
# completes `git-context` by it. What may stand where is asked of the program.

# $1 runs git; what follows are the words behind the command's name.
__git_context_complete ()
{
	local run=$1 glob='' said
	shift
	local IFS=$'\n'
	# A text may hold what would be taken for the names of files.
	case $- in *f*) ;; *) glob=on; set -f ;; esac
	said=$("$run" context complete bash --breaks "$COMP_WORDBREAKS" -- "$@" 2>/dev/null </dev/null)
	COMPREPLY=($said)
	test -z "$glob" || set +f

	# Words end in the space that belongs behind them. Without candidates bash would
	# complete the names of files: only where there may be one. bash 3 cannot be told.
	local o="+o default +o bashdefault"
	while :; do
		case ${COMPREPLY[0]-} in
		$'\t'files) o="-o default +o nospace" ;;
		$'\t'directories) o="-o dirnames -o filenames +o nospace +o default +o bashdefault" ;;
		$'\t'quoted) o="$o +o nospace" ;;
		*) break ;;
		esac
		COMPREPLY=("${COMPREPLY[@]:1}")
	done
	IFS=' '
	compopt $o 2>/dev/null
	return 0
}

# git's completion has words and cword, has put the options before the command's name
# aside, and runs git with them by __git.
_git_context ()
{
	local first=$((${__git_cmd_idx:-1} + 1))
	__git_context_complete __git "${words[@]:first:cword - first}" "$cur"
}

__git_context_git ()
{
	command git "$@"
}

# git-context itself.
_git_context_alone ()
{
	local cur words cword prev
	if declare -f _get_comp_words_by_ref >/dev/null; then
		_get_comp_words_by_ref -n =: cur words cword prev
	else
		words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]}
	fi
	__git_context_complete __git_context_git "${words[@]:1:cword - 1}" "$cur"
}

complete -o bashdefault -o default -o nospace -F _git_context_alone git-context
