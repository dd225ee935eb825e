extension CompletionsCommand.Shell {
  /// The script for the shell: it passes the words up to the cursor to `complete`, and offers the candidates.
  ///
  /// The script calls the program in PATH, even if another path is typed: no file may be executed only because it is named. The scripts
  /// expand nothing but `~`.
  var script: String {
    switch self {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  // bash splits words at the characters of COMP_WORDBREAKS, e.g. at = and :, and replaces only the last part. So the script joins parts
  // without a space between them, and offers only the rest after the earlier parts.
  private var bash: String {
    #"""
    # Completes initctl and initd in bash (4.4 or later).
    _initctl() {
      local program=initctl rest=${COMP_LINE:0:COMP_POINT} words=() found=() i part trimmed word prefix
      [[ ${1##*/} == initd ]] && program=initd
      for ((i = 0; i <= COMP_CWORD; i++)); do
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        if ((i == 0)) || [[ $trimmed != "$rest" ]]; then words+=(""); fi
        part=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && part=$trimmed
        words[${#words[@]} - 1]+=$part
        rest=${trimmed#"$part"}
      done
      words=("${words[@]//[\"\'\\]/}")
      words=("${words[@]/#\~\//$HOME/}")
      word=${words[${#words[@]} - 1]}
      prefix=${word%"$2"}
      COMPREPLY=()
      mapfile -t found < <(command "$program" complete -- "${words[@]:1}" 2> /dev/null)
      for part in "${found[@]}"; do
        case $part in
          :files) compopt -o default ;;
          :directories) compopt -o dirnames ;;
          :commands)
            compopt -o default
            mapfile -t COMPREPLY < <(compgen -c -- "$2")
            ;;
          *)
            part=${part%%$'\t'*}
            [[ $part == "$word"* ]] || continue
            [[ $part == *= ]] && compopt -o nospace
            printf -v part %q "${part#"$prefix"}"
            COMPREPLY+=("$part")
            ;;
        esac
      done
    }
    complete -F _initctl initctl initd

    """#
  }

  private var zsh: String {
    #"""
    #compdef initctl initd
    # Completes initctl and initd in zsh.
    _initctl() {
      local program=initctl line word
      local -a before found described open
      [[ ${words[1]:t} == initd ]] && program=initd
      before=("${(@Q)words[2,CURRENT-1]}")
      before=("${(@)before/#\~\//$HOME/}")
      found=("${(@f)$(command $program complete -- "${before[@]}" "${(Q)PREFIX}" 2> /dev/null)}")
      for line in "${found[@]}"; do
        case $line in
          '') ;;
          :files|:directories)
            [[ $PREFIX == --*=* ]] && compset -P 1 '*='
            if [[ $line == :files ]]; then _files; else _files -/; fi
            return
            ;;
          :commands)
            _command_names -e || _files
            return
            ;;
          *)
            word=${line%%$'\t'*}
            if [[ $word == *= ]]; then open+=("$word"); continue; fi
            [[ $line == *$'\t'* ]] && line=${word//:/\\:}:${line#*$'\t'} || line=${word//:/\\:}
            described+=("$line")
            ;;
        esac
      done
      (( $#open )) && compadd -S '' -- "${open[@]}"
      _describe -t initctl 'initctl' described
    }
    if [[ $funcstack[1] == _initctl ]]; then _initctl "$@"; else compdef _initctl initctl initd; fi

    """#
  }

  private var fish: String {
    #"""
    # Completes initctl and initd in fish.
    function __initctl_candidates
        set -l words (commandline --current-process --tokenize --cut-at-cursor)
        set -l word (commandline --current-token --cut-at-cursor)
        set -l program (string replace --regex '.*/' '' -- $words[1])
        set -l prefix (string match --regex -- '^--[^=]+=' "$word")
        set -l value (string replace -- "$prefix" '' "$word")
        for line in (command $program complete -- (string replace --regex '^~/' "$HOME/" -- $words[2..]) "$word" 2> /dev/null)
            switch $line
                case :files
                    printf '%s\n' "$prefix"(__fish_complete_path $value)
                case :directories
                    printf '%s\n' "$prefix"(__fish_complete_directories $value '')
                case :commands
                    __fish_complete_command
                case '*'
                    printf '%s\n' $line
            end
        end
    end
    for program in initctl initd
        complete --command $program --erase
        complete --command $program --no-files --keep-order --arguments '(__initctl_candidates)'
    end

    """#
  }
}
