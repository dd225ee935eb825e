internal import EventLoop
internal import Glibc
internal import Platform
package import TestSupport

/// What a failing system call has left, or an error that nobody expects of it.
package struct Refusal: Error, CustomStringConvertible {
  package let description: String
}

/// Runs a scene repeatedly, each time with another failing system call, and checks that nothing is left.
///
/// `isExpected` says which errors only report the failure.
package func refuseEach(
  with errors: [Int32] = [EMFILE, ENOMEM, EIO], leaving files: Set<String> = [], isExpected: (any Error) -> Bool,
  _ body: (Scene<Void>, TemporaryDirectory) throws -> Void
) throws {
  func play() throws {
    let directory = TemporaryDirectory()
    let result = Result { let _: Void = try playHere { scene in try body(scene, directory) } }
    guard files.isSuperset(of: directory.names) else { throw Refusal(description: "\(directory.names) are left") }
    try result.get()
  }
  let calls = try FaultInjection.refusing([], with: 0, play)
  guard calls > 0 else { throw Refusal(description: "the scene makes no system call") }
  func refuse(_ number: Int, with errno: Int32) throws {
    do {
      _ = try FaultInjection.refusing([number], with: errno, play)
    } catch {
      guard isExpected(error) else { throw Refusal(description: "call \(number) failing with \(errno): \(error)") }
    }
  }
  for number in 1...calls {
    for errno in errors {
      var before = openDescriptors()
      try refuse(number, with: errno)
      // Another test may have opened a descriptor in the meantime; a leak leaves one each time.
      if openDescriptors() > before {
        before = openDescriptors()
        try refuse(number, with: errno)
      }
      // The number is smaller if another test has closed one since then.
      guard openDescriptors() <= before else {
        throw Refusal(description: "call \(number) failing with \(errno) leaves a descriptor")
      }
    }
  }
}

/// The number of open descriptors of this process.
package func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}
