// The subject of the conformance tests: ../../conformance/README.md describes its argument and its output.

import FoundationEssentials
import Glibc

Termination.watch()

let argument: Argument
do {
  argument = try JSONDecoder().decode(Argument.self, from: Data(CommandLine.arguments.dropFirst().joined().utf8))
} catch {
  Lines.complain("cannot read the argument: \(error); give it one JSON object")
  exit(64)
}

let running = Task { try await Subject(argument).run() }
Termination.then { running.cancel() }

do {
  try await running.value
} catch is CancellationError {
} catch {
  Lines.complain("\(error)")
  exit(1)
}
exit(0)
