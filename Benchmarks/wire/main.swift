import Glibc
import InitWire

// What a Status of 1,000 initializers costs: to write, and to check and read. The medians of many, in milliseconds.

let count = 1_000
func name(_ number: Int) -> String { "module-\(number % 6).initializer-\(number)" }

let initializers = (0..<count).map { number in
  let started = 1_700_000_000.125 + Double(number) / 1000
  return InitializerShape(
    name: name(number), priority: .appLaunch, dependencies: number == 0 ? [] : [name(number - 1)], provider: .command,
    available: true, status: .complete, run: number + 1, attempt: 1, pass: 1, phase: .launch, started: started,
    duration: 0.001 + Double(number) / 1_000_000)
}
let status = StatusShape(
  seq: 4_000, time: 1_700_000_000.5, instance: "0123456789abcdef", pid: 4242, uptime: 12.5, lifecycle: .active,
  launch: StateShape(.complete, pass: 1), active: StateShape(.complete, pass: 2),
  composite: StateShape(.complete), holds: 0, concurrency: 4, initializers: initializers, workers: [])

func median(_ body: () -> Void) -> Double {
  let clock = ContinuousClock()
  let times = (0..<200).map { _ in clock.measure(body) }.sorted()
  return times[times.count / 2] / .milliseconds(1)
}

let text = StatusText(status).bytes
var total = 0
let writing = median { total += StatusText(status).bytes.count }
let reading = median {
  guard let json = try? RawJSON(checking: text), let read = try? json.read(StatusShape.self) else { return }
  total += read.initializers.count
}
let checking = median { total += (try? RawJSON(checking: text)) == nil ? 0 : 1 }
let rounded = [writing, reading, checking].map { ($0 * 100).rounded() / 100 }
print(
  "a Status of \(count) initializers, \(text.count) bytes: written in \(rounded[0]) ms, checked and read in \(rounded[1]) ms"
)
print("  of which checked in \(rounded[2]) ms", total > 0 ? "" : "nothing")
