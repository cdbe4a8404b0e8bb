#compdef git-context
#description memory for agents, as git refs
# zsh completion for git-context.
#
# zsh's completion of git calls this for `git context`, and it stands for `git-context`
# itself. What may stand where is asked of the program.

local -a run typed said part
local line word about kind last
integer ret=1

# Git's options before the command's name: --git-dir is in the environment by now.
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

# Each line is a word, what it is, and of which kind; each kind is a group of its own.
for line in $said ''; do
  kind=${line##*$'\t'} line=${line%$'\t'*}
  if [[ $kind != $last ]] && (( $#part )); then
    _describe -V -t ${last// /-} $last part && ret=0
    part=()
  fi
  word=${line%%$'\t'*} about=${line#*$'\t'} last=$kind
  word=${word//\\/\\\\}
  part+=("${word//:/\\:}${about:+:$about}")
done
return ret
