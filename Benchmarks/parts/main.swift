// Parts of the programs alone. `make bench` measures the times of a Status, `make bench-counts` counts the instructions of the machine.

// With this import the linker finds the C library's rounding, which InitWire uses.
internal import Glibc

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "status" {
  try StatusTimes.measure()
} else if arguments.count == 2, arguments.first == "machine", let passes = arguments.last.flatMap({ Int($0) }) {
  try MachineSteps.run(passes: passes)
} else {
  print("usage: parts status | parts machine PASSES")
}
