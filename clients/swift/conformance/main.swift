// The subject of the conformance tests: ../../conformance/README.md describes its argument and its output.

import Dispatch
import FoundationEssentials
import Glibc

let argument: Argument
do {
  argument = try JSONDecoder().decode(Argument.self, from: Data(CommandLine.arguments.dropFirst().joined().utf8))
} catch {
  Lines.complain("cannot read the argument: \(error); give it one JSON object")
  exit(64)
}

let running = Task { try await Subject(argument).run() }

signal(SIGTERM, SIG_IGN)
let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .main)
termination.setEventHandler { running.cancel() }
termination.resume()

do {
  try await running.value
} catch is CancellationError {
} catch {
  Lines.complain("\(error)")
  exit(1)
}
exit(0)
