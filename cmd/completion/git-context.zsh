#compdef git-context
#description memory for agents, as git refs
# zsh completion for git-context.
#
# zsh's completion of git calls this for `git context`, and it stands for `git-context`
# itself. What may stand where is asked of the program.

local -a run said found typed
local line word about

# git's options before the command's name: _git has --git-dir in the environment.
run=(command git)
if [[ $service == git ]] && (( $+opt_args[-C] )); then
  run+=(-C ${(Q)~opt_args[-C]})
fi
typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
said=("${(@f)$($run context complete zsh -- "$typed[@]" 2>/dev/null </dev/null)}")

case $said[1] in
  ($'\t'files)
    compset -P '--[^=]##='
    _files
    return ;;
  ($'\t'directories)
    compset -P '--[^=]##='
    _directories
    return ;;
esac
for line in $said; do
  word=${line%%$'\t'*} about=
  [[ $line == *$'\t'* ]] && about=:${line#*$'\t'}
  found+=("${word//:/\\:}$about")
done
_describe -V -t context 'git context' found
