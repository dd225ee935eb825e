internal import Glibc
public import Platform

/// The descriptors 0, 1 and 2 of one child.
///
/// The streams can be created in advance.
public final class ChildStreams {
  /// The source of a child's standard input.
  public enum Input: Sendable {
    /// Empty input: `/dev/null`, or an empty pipe if that can't be opened.
    case null
    /// Our own stream.
    case inherited
  }

  /// The destination of a child's output.
  public enum Output: Sendable {
    /// `/dev/null`.
    case null
    /// The same as ours.
    case inherited
    /// A pipe whose other end we read.
    case pipe
  }

  /// When our copies of the child's ends are closed.
  public enum Closing: Sendable {
    /// When the child's exit is reported: its pipes end before the callback, unless other processes have them open.
    case atExit
    /// The streams are closed at the end of the turn in which the exit is reported, so other work, for example the next child, needn't wait
    /// for that.
    case atEndOfTurn
  }

  let closing: Closing
  /// The reading end of the child's standard output, if that is a pipe.
  let standardOutput: Descriptor?
  /// The reading end of the child's standard error, if that is a pipe.
  let standardError: Descriptor?

  /// The child's descriptors 0, 1 and 2; nil for the same as ours.
  private let targets: [Descriptor?]
  /// The child's ends.
  ///
  /// We keep these ends open until the child has exited: otherwise each end that the child closes at its exit would wake our loop.
  private let childEnds: [Descriptor]

  /// Creates the streams of a child.
  ///
  /// Throws when descriptors have run out.
  public init(
    in children: ChildTable, input: Input = .null, output: Output = .inherited, error: Output = .inherited,
    closing: Closing = .atExit
  ) throws(SystemError) {
    self.closing = closing
    let noInput = if case .null = input { try Self.noInput(of: children) } else { nil as Descriptor? }
    let outputPipe =
      if case .pipe = output { try Descriptor.pipe() } else { nil as (read: Descriptor, write: Descriptor)? }
    let errorPipe =
      if case .pipe = error { try Descriptor.pipe() } else { nil as (read: Descriptor, write: Descriptor)? }
    targets = [noInput, try Self.target(output, outputPipe?.write), try Self.target(error, errorPipe?.write)]
    childEnds = [outputPipe?.write, errorPipe?.write].compactMap(\.self)
    standardOutput = outputPipe?.read
    standardError = errorPipe?.read
  }

  private static func noInput(of children: ChildTable) throws(SystemError) -> Descriptor {
    if let made = children.noInput { return made }
    let made = try Descriptor.openAtEnd()
    children.noInput = made
    return made
  }

  private static func target(_ output: Output, _ pipe: Descriptor?) throws(SystemError) -> Descriptor? {
    switch output {
    case .inherited: nil
    case .null: try Descriptor.openNull()
    case .pipe: pipe
    }
  }

  /// The descriptors' numbers, for the child's start; -1 for the same as ours.
  var numbers: (Int32, Int32, Int32) {
    (targets[0]?.number ?? -1, targets[1]?.number ?? -1, targets[2]?.number ?? -1)
  }

  /// Closes our copies when the child has exited, so the pipes end unless it left processes behind.
  func close() {
    for end in childEnds { end.close() }
  }
}
