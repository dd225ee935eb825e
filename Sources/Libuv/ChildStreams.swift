internal import CLibuv
internal import Glibc

/// What one child's descriptors 0, 1 and 2 lead to. Whoever knows that another child will come can make them ahead.
public final class ChildStreams {
  /// Where a child's standard input comes from.
  public enum Input: Sendable {
    /// `/dev/null`, or an empty pipe where there is none: at the end from the start.
    case null
    /// Ours.
    case inherited
  }

  /// Where a child's output goes.
  public enum Output: Sendable {
    /// `/dev/null`.
    case null
    /// Where ours goes.
    case inherited
    /// Into a pipe whose other end we get.
    case pipe
  }

  /// The end of its standard output to read from, if that is a pipe.
  let standardOutput: Descriptor?
  /// The end of its standard error to read from, if that is a pipe.
  let standardError: Descriptor?

  /// What the child does between its birth and its program.
  private var actions: posix_spawn_file_actions_t
  /// The ends that are the child's. We keep them until it has exited: otherwise each that it closes on its way out would wake us.
  private let childEnds: [Descriptor]

  /// The streams of a child on this loop. Throws when descriptors have run out.
  public init(
    loop: Loop, input: Input = .null, output: Output = .inherited, error: Output = .inherited
  ) throws(SystemError) {
    let noInput = if case .null = input { try loop.noInput() } else { nil as Descriptor? }
    let outputPipe =
      if case .pipe = output { try Descriptor.pipe() } else { nil as (read: Descriptor, write: Descriptor)? }
    let errorPipe =
      if case .pipe = error { try Descriptor.pipe() } else { nil as (read: Descriptor, write: Descriptor)? }
    actions = posix_spawn_file_actions_t()
    childEnds = [outputPipe?.write, errorPipe?.write].compactMap(\.self)
    standardOutput = outputPipe?.read
    standardError = errorPipe?.read
    posix_spawn_file_actions_init(&actions)
    if let noInput { posix_spawn_file_actions_adddup2(&actions, noInput.number, 0) }
    lead(1, to: output, outputPipe?.write)
    lead(2, to: error, errorPipe?.write)
    clibuv_spawn_close_from(&actions, 3)
  }

  deinit { posix_spawn_file_actions_destroy(&actions) }

  private func lead(_ number: Int32, to output: Output, _ pipe: Descriptor?) {
    switch output {
    case .inherited: break
    case .null: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
    case .pipe: if let pipe { posix_spawn_file_actions_adddup2(&actions, pipe.number, number) }
    }
  }

  /// Starts the child, once. 0, or the error number.
  func spawn(
    _ pid: inout pid_t, _ file: String, _ arguments: CStringArray, _ environment: EnvironmentBlock, directory: String?
  ) -> Int32 {
    if let directory { clibuv_spawn_change_directory(&actions, directory) }
    return posix_spawn(
      &pid, file, &actions, ChildStreams.attributes, arguments.pointers, environment.strings.pointers)
  }

  /// The child has exited: the pipes are at their end now, unless it left somebody behind.
  func close() {
    for end in childEnds { end.close() }
  }

  /// The same for all children.
  nonisolated(unsafe) private static let attributes: UnsafePointer<posix_spawnattr_t> = {
    let attributes = UnsafeMutablePointer<posix_spawnattr_t>.allocate(capacity: 1)
    attributes.initialize(to: posix_spawnattr_t())
    let status = clibuv_spawn_attributes(attributes)
    precondition(status == 0, "posix_spawnattr: \(SystemError.reason(of: status))")
    return UnsafePointer(attributes)
  }()
}
