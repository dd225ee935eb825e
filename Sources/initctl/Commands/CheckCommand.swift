internal import CommandLineOptions
internal import Glibc

/// `check`: replaces this process by `initd --check`, whose output and exit status are the result.
struct CheckCommand: ProgramCommand {
  static let help = CommandHelp(
    "check", "Check a manifest, and show the order of its initializers.",
    discussion: """
      Examples:
        initctl check init.yaml
        initctl check init.yaml > order.txt
      """)

  private var file = ""

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("file", &file, .text("file"), help: "The manifest to check.")
  }

  func run() throws {
    // A name that begins with a dash would be parsed as an option.
    let name = file.hasPrefix("-") ? "./" + file : file
    let sibling = CheckCommand.ownDirectory.map { $0 + "/initd" }
    signal(SIGPIPE, SIG_DFL)
    if let sibling, access(sibling, X_OK) == 0 {
      CheckCommand.execute(sibling, name, inPath: false)
    } else {
      CheckCommand.execute("initd", name, inPath: true)
    }
    Console.complain(
      "cannot run initd, which checks manifests: \(String(cString: strerror(errno))); "
        + "install it beside initctl or in PATH")
    throw ProgramStatus.failure
  }

  /// Executes `program --check file`; returns only if that fails.
  private static func execute(_ program: String, _ file: String, inPath: Bool) {
    let words = [program, "--check", file]
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    _ = inPath ? execvp(program, arguments) : execv(program, arguments)
    let error = errno
    for argument in arguments { free(argument) }
    errno = error
  }

  /// The directory of this program.
  private static var ownDirectory: String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    let path = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
