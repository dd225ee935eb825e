internal import CommandLineOptions
internal import Glibc
internal import InitJSON
internal import Platform

/// `initd --check`, which reads manifests: initctl has no YAML.
///
/// The program is the `initd` beside this program, or else the one in PATH.
struct ManifestProgram {
  private let options: [String]

  /// `initd` with these options.
  init(_ options: [String]) { self.options = options }

  /// - Parameters:
  ///   - files: the files of the manifest, which are merged; `-` for standard input.
  ///   - profiles: the selected profiles.
  ///   - options: further options, e.g. for the form of the report.
  init(checking files: [String], profiles: [String] = [], _ options: [String] = []) {
    self.options =
      files.flatMap { ["--check", Self.argument($0)] } + profiles.flatMap { ["--profile", $0] } + options
  }

  /// - Parameter file: the manifest of a worker; `-` for standard input.
  init(checkingWorker file: String) {
    options = ["--check-worker", Self.argument(file)]
  }

  /// - Parameter format: the form of the printed manual: `json`, `man` or `markdown`.
  init(printingSchema format: String) {
    options = ["--schema", format]
  }

  /// - Parameter key: the name of the keys whose manual is printed.
  init(printingKey key: String) {
    options = ["--schema", "markdown", "--key=\(key)"]
  }

  /// Returns the file as an argument.
  ///
  /// A name that begins with a dash would be parsed as an option.
  private static func argument(_ file: String) -> String { file.hasPrefix("-") && file != "-" ? "./" + file : file }

  /// Replaces this process by the program.
  ///
  /// - Throws: the exit status if it can't be executed.
  func replaceThisProcess() throws -> Never {
    signal(SIGPIPE, SIG_DFL)
    let (program, words) = words()
    words.withArguments { _ = program.isInPath ? execvp(program.name, $0) : execv(program.name, $0) }
    try fail(errno)
  }

  /// Runs the program, and reads its report.
  ///
  /// The program itself prints mistakes of the manifest on standard error.
  ///
  /// - Throws: its exit status, if the manifest has mistakes or it can't be executed.
  func read<Report: Shape>() throws -> Report {
    let pipe = try Descriptor.pipe()
    let pid = try spawn(output: pipe.write)
    pipe.write.close()
    let text = try pipe.read.contents(upTo: .max, "the output of initd")
    var code: Int32 = 0
    while waitpid(pid, &code, 0) < 0 && errno == EINTR {}
    guard code == 0 else { throw code & 0x7F == 0 ? ProgramStatus(code >> 8 & 0xFF) : .failure }
    do {
      return try RawJSON(checking: text).read()
    } catch {
      Console.complain(
        "cannot read the output of initd \(options.first ?? ""): \(error); install the initd of this version")
      throw ProgramStatus.failure
    }
  }

  private func spawn(output: Descriptor) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
    var pid = pid_t()
    let (program, words) = words()
    let error = words.withArguments {
      program.isInPath
        ? posix_spawnp(&pid, program.name, &actions, nil, $0, ProcessEnvironment.strings)
        : posix_spawn(&pid, program.name, &actions, nil, $0, ProcessEnvironment.strings)
    }
    if error != 0 { try fail(error) }
    return pid
  }

  /// Starts the program in a session of its own, in a directory, without input, and with a file as its output.
  ///
  /// - Returns: its pid.
  func spawnInBackground(in directory: String, log: String) throws -> pid_t {
    let (program, words) = words()
    do throws(SystemError) {
      return try words.withArguments { (arguments) throws(SystemError) in
        try BackgroundProgram.start(
          program.name, isInPath: program.isInPath, arguments: arguments, environment: ProcessEnvironment.strings,
          in: directory, log: log)
      }
    } catch {
      try fail(error.errno)
    }
  }

  private func fail(_ error: Int32) throws -> Never {
    Console.complain(
      "cannot run initd, which reads manifests: \(SystemError.reason(of: error)); install it beside initctl or in PATH")
    throw ProgramStatus.failure
  }

  private func words() -> (program: (name: String, isInPath: Bool), words: [String]) {
    if let sibling = ManifestProgram.ownDirectory.map({ $0 + "/initd" }), access(sibling, X_OK) == 0 {
      return ((sibling, false), [sibling] + options)
    }
    return (("initd", true), ["initd"] + options)
  }

  /// The directory of this program.
  static var ownDirectory: String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}

extension [String] {
  /// Calls `body` with the words as the arguments of a program.
  func withArguments<Result, Failure: Error>(
    _ body: ([UnsafeMutablePointer<CChar>?]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let arguments: [UnsafeMutablePointer<CChar>?] = map { strdup($0) } + [nil]
    defer {
      let error = errno
      for argument in arguments { free(argument) }
      errno = error
    }
    return try body(arguments)
  }
}
