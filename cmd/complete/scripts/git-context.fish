# fish completion for git-context, to be read when fish starts: from one of its
# directories called conf.d, as its completion of git, which not every version of it
# makes ask for that of git's other commands, is not read again.
#
# What may stand where is asked of the program.

# What was said of the words behind the command's name; $argv[1] runs git.
function __git_context_complete
    set -l git $argv[1]
    set -l typed (commandline -ct)
    # A quote may be open.
    set -l word (string unescape -- "$typed" || string unescape -- "$typed'" || string unescape -- "$typed\"")
    set -l said ($git context complete fish -- $argv[2..] "$word" 2>/dev/null </dev/null)
    set -l flag (string match -r '^--[^=]+=' -- "$typed")
    set -l path (string replace -- "$flag" '' "$typed")
    switch "$said[1]"
        case \tfiles
            __fish_complete_path "$path" | string replace -r -- '^' "$flag"
        case \tdirectories
            __fish_complete_directories "$path" | string replace -r -- '^' "$flag"
        case '*'
            printf '%s\n' $said
    end
end

# `git context`: __fish_git runs git with the options that stand before the command.
function __git_context_of_git
    set -l words (commandline -opc)
    set -e words[1]
    argparse -s (__fish_git_global_optspecs) -- $words 2>/dev/null
    and __git_context_complete __fish_git $argv[2..]
end

# `git-context` itself. fish's completion of git may ask it too, without git's options.
function __git_context_alone
    string match -q '*__fish_git_complete_custom_command*' -- (status stack-trace)
    and return
    set -l words (commandline -opc)
    __git_context_complete __git_context_git $words[2..]
end

function __git_context_git
    command git $argv
end

complete -c git -f -k -n '__fish_git_using_command context' -a '(__git_context_of_git)'
complete -c git-context -f -k -a '(__git_context_alone)'
