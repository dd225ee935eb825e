internal import CommandLineOptions

/// `completions`: prints the script that completes command lines in a shell.
struct CompletionsCommand: ProgramCommand {
  static let help = CommandHelp(
    "completions", "Print the script with which a shell completes initctl and initd.",
    discussion: """
      make install installs these scripts. To use one without that, put one of these lines in ~/.bashrc, ~/.zshrc (after compinit) or \
      ~/.config/fish/config.fish:

        source <(initctl completions bash)
        source <(initctl completions zsh)
        initctl completions fish | source

      The script asks initctl for the candidates, and initctl asks the running supervisor for names.

      Examples:
        initctl completions bash > initctl.bash
        initctl completions fish > initctl.fish
      """)

  private var shell = Shell.bash

  /// A shell with completions.
  enum Shell: String, CaseIterable { case bash, zsh, fish }

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("shell", &shell, .word("shell"), help: "The shell: bash, zsh or fish.")
  }

  func run() throws { try Console.write(shell.script) }
}
