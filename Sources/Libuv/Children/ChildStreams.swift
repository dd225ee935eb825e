internal import Glibc
public import Platform

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

  /// What the child's descriptors 0, 1 and 2 lead to; nil is where ours does.
  private let targets: [Descriptor?]
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
    targets = [noInput, try Self.target(output, outputPipe?.write), try Self.target(error, errorPipe?.write)]
    childEnds = [outputPipe?.write, errorPipe?.write].compactMap(\.self)
    standardOutput = outputPipe?.read
    standardError = errorPipe?.read
  }

  private static func target(_ output: Output, _ pipe: Descriptor?) throws(SystemError) -> Descriptor? {
    switch output {
    case .inherited: nil
    case .null: try Descriptor.openNull()
    case .pipe: pipe
    }
  }

  /// The descriptors' numbers, for the child's birth; -1 is where ours lead.
  var numbers: (Int32, Int32, Int32) {
    (targets[0]?.number ?? -1, targets[1]?.number ?? -1, targets[2]?.number ?? -1)
  }

  /// The child has exited: the pipes are at their end now, unless it left somebody behind.
  func close() {
    for end in childEnds { end.close() }
  }
}
