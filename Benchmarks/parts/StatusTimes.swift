import InitJSON
internal import InitModel
internal import InitWire
import InitWords

/// Measures the cost of a Status of 1,000 initializers: to write, to check, and to check and read.
enum StatusTimes {
  private static let count = 1_000

  /// Prints lines of a name and a median in milliseconds.
  static func measure() throws {
    let status = sample
    let text = StatusText(status).bytes
    // The results must be used, or the compiler may leave out the work.
    var total = 0
    let written = median { total += StatusText(status).bytes.count }
    let checked = try median { total += try RawJSON(checking: text).bytes.count }
    let read = try median { total += try RawJSON(checking: text).read(Status.self).initializers.count }
    precondition(total == 200 * (2 * text.count + count), "a Status isn't read as it was written")
    print("written", written)
    print("checked", checked)
    print("checked-and-read", read)
  }

  private static var sample: Status {
    func name(_ number: Int) -> String { "module-\(number % 6).initializer-\(number)" }
    let initializers = (0..<count).map { number in
      let started = 1_700_000_000.125 + Double(number) / 1000
      return Initializer(
        name: name(number), priority: .appLaunch, dependencies: number == 0 ? [] : [name(number - 1)],
        provider: .command, available: true, status: .complete, run: number + 1, attempt: 1, pass: 1, phase: .launch,
        started: started, duration: 0.001 + Double(number) / 1_000_000)
    }
    return Status(
      seq: 4_000, time: 1_700_000_000.5, instance: "0123456789abcdef", pid: 4242, uptime: 12.5, lifecycle: .active,
      launch: Status.State(.complete, pass: 1), active: Status.State(.complete, pass: 2),
      composite: Status.State(.complete), holds: 0, concurrency: 4, initializers: initializers, workers: [])
  }

  private static func median(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let times = try (0..<200).map { _ in try clock.measure(body) }.sorted()
    return times[times.count / 2] / .milliseconds(1)
  }
}
