import Glibc
import InitCore
import InitDeclarations
import InitManifest
import InitProcesses
import InitRunner
import InitSupervisor
import InitText
import InitWords
import Platform

/// The findings of `--check --strict` in a valid manifest: its warnings, and programs, directories and inputs that don't exist on this
/// machine.
enum StrictCheck {
  /// Returns the findings, in the order of the files.
  static func findings(in manifest: Manifest) -> [Finding] {
    let directory = Path.directory(of: manifest.file)
    let missing = missing(from: manifest, in: directory)
    let inputs = unreadInputs(of: manifest, in: directory) + unseenInputs(of: manifest, in: directory)
    return (manifest.warnings + missing + inputs + doneInVain(in: manifest) + refusedUsers(of: manifest, unknown: true))
      .sorted {
        $0.position < $1.position
      }
  }

  /// Returns a finding for each user that the supervisor can't start commands as, because it isn't root; and for each unknown one, if wanted.
  static func refusedUsers(of manifest: Manifest, unknown: Bool = false) -> [Finding] {
    commands(of: manifest).compactMap { written in
      guard let user = written.command.settings.user else { return nil }
      let position = written.given["user"] ?? written.position
      if geteuid() != 0 {
        return manifest.finding(
          at: position, problem: "only root can start commands as the user \(TerminalText.quote(user.description))",
          remedy: "start initd as root, or remove user")
      }
      guard unknown else { return nil }
      do throws(Accounts.UnknownUser) {
        _ = try Accounts.find(user)
        return nil
      } catch {
        return manifest.finding(at: position, problem: TerminalText.escape(error.problem), remedy: error.remedy)
      }
    }
  }

  /// Returns a finding for each initializer that is to be done once: the manifest names no state directory.
  private static func doneInVain(in manifest: Manifest) -> [Finding] {
    guard manifest.settings.start.stateDirectory == nil else { return [] }
    return manifest.initializers.filter { $0.declaration.freshness?.isEver == true }.map { entry in
      manifest.finding(
        at: entry.given["once"] ?? entry.position,
        problem: "once: ever has no effect without a state directory",
        remedy: "write stateDirectory: DIR, or start initd with --state-directory DIR")
    }
  }

  /// Returns a finding for each input that has no file, or can't be listed.
  private static func unreadInputs(of manifest: Manifest, in directory: String) -> [Finding] {
    manifest.initializers.flatMap { initializer in
      zip(initializer.declaration.freshness?.inputs ?? [], initializer.inputPositions).compactMap { input, position in
        do throws(InputFiles.Problem) {
          _ = try InputFiles(Freshness(inputs: [input], directory: directory))
          return nil
        } catch {
          let name = initializer.declaration.name
          return manifest.finding(
            at: position, problem: TerminalText.escape("\(name) is never fresh: \(error)"),
            remedy: "correct the path, or create the file")
        }
      }
    }
  }

  /// Returns a finding for each input in whose directory another machine may change files: `--watch` doesn't notice that.
  private static func unseenInputs(of manifest: Manifest, in directory: String) -> [Finding] {
    let inputs =
      manifest.initializers.map {
        ($0.declaration.name, $0.declaration.freshness?.inputs ?? [], $0.inputPositions)
      } + manifest.workers.map { ($0.name, $0.inputs, $0.inputPositions) }
    return inputs.flatMap { name, patterns, positions in
      zip(patterns, positions).compactMap { input, position in
        guard let files = try? InputFiles(watching: input, in: directory, isStopped: { false }),
          let place = files.places.keys.sorted().first(where: DirectoryPlace.isRemote)
        else { return nil }
        return manifest.finding(
          at: position,
          problem: TerminalText.escape(
            "initd --watch doesn't notice when another machine changes \(input): \(place) is on a network file system"),
          remedy: "keep the inputs of \(name) on a local file system, or use initctl rerun \(name) after such a change")
      }
    }
  }

  /// A command of an entry: the positions of its keys, and those of its programs that are texts.
  private struct Written {
    let command: Command
    let check: [String]?
    let given: [String: Position]
    let texts: Set<String>
    let position: Position

    /// The key of the check: of an initializer, or of a process.
    var keyOfCheck: String { given["unless.command"] == nil ? "ready.command" : "unless.command" }
  }

  private static func commands(of manifest: Manifest) -> [Written] {
    manifest.initializers.compactMap { entry in
      entry.command.map {
        Written(
          command: $0, check: entry.unless?.arguments, given: entry.given, texts: entry.texts, position: entry.position)
      }
    }
      + manifest.workers.map { entry in
        var check: [String]?
        if case .probe(let probe, _)? = entry.policy.ready, case .command(let arguments) = probe.target {
          check = arguments
        }
        return Written(
          command: entry.command, check: check, given: entry.given, texts: entry.texts, position: entry.position)
      }
  }

  /// Returns the findings of programs and directories.
  private static func missing(from manifest: Manifest, in directory: String) -> [Finding] {
    let variables = SupervisorConfiguration.inherited(ProcessEnvironment.variables())
    return commands(of: manifest).flatMap { written in
      let command = written.command.located(in: directory, manifest.settings.environment)
      let workingDirectory = command.directory ?? directory
      var status = stat()
      // What is known only at its start may be there then.
      let isPresent =
        !ValueReference.all(in: workingDirectory).isEmpty
        || stat(workingDirectory, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      let programs: [(String, [String]?)] = [
        ("command", written.command.arguments), ("stop", written.command.stop), (written.keyOfCheck, written.check),
      ]
      let environment = try? EnvironmentBlock(variables.merging(command.environment) { $1 })
      let findings = programs.compactMap { key, arguments -> Finding? in
        guard let arguments, let environment, ValueReference.all(in: arguments.first ?? "").isEmpty else { return nil }
        let start =
          written.texts.contains(key)
          ? programWithPath(in: arguments) : Path.locate(program: arguments, in: directory)
        return finding(
          of: start, at: written.given[key] ?? written.position, in: isPresent ? workingDirectory : nil,
          from: directory,
          environment, manifest)
      }
      guard !isPresent else { return findings }
      return findings + [
        manifest.finding(
          at: written.given["workingDirectory"] ?? written.given["command"] ?? written.position,
          problem: "the directory \(TerminalText.quote(workingDirectory)) does not exist",
          remedy: "create it, or correct workingDirectory")
      ]
    }
  }

  /// Returns the finding of a program that runs in `workingDirectory`; `nil` means a directory that doesn't exist.
  private static func finding(
    of start: [String]?, at position: Position, in workingDirectory: String?, from directory: String,
    _ environment: EnvironmentBlock, _ manifest: Manifest
  ) -> Finding? {
    // Whether a relative path will exist in a directory that doesn't is unknown.
    guard let start,
      workingDirectory != nil || start.first?.contains("/") == false || start.first?.hasPrefix("/") == true
    else {
      return nil
    }
    do throws(SpawnError) {
      try ChildProcess.find(start, environment: environment, directory: workingDirectory ?? directory)
      return nil
    } catch {
      let program = TerminalText.quote(start.first ?? "")
      let (problem, remedy) =
        if !error.isNotFound {
          (
            "the program \(program) can't be executed: \(SystemError.reason(of: error.errno))",
            "make it executable (chmod +x)"
          )
        } else if error.program.contains("/" as Character) {
          ("the program \(program) does not exist", "install it, or correct the path")
        } else {
          ("the program \(program) is not in PATH", "install it, or give its full path")
        }
      return manifest.finding(at: position, problem: problem, remedy: remedy)
    }
  }

  /// Returns the first word of a shell's command if it is the path of a program; otherwise `nil`: only a shell can interpret it.
  private static func programWithPath(in arguments: [String]) -> [String]? {
    let word = (arguments.last ?? "").prefix { $0 != " " && $0 != "\n" }
    let isPath =
      word.contains("/" as Character) && word.allSatisfy { $0.isLetter || $0.isNumber || "._-+/".contains($0) }
    return isPath ? [String(word)] : nil
  }
}
