import InitDeclarations
import InitSupervisor
import Testing

@Suite("Processes that a program declares")
struct DeclaredWorkerLibraryTests {
  @Test("By default, a process is restarted only after a failure")
  func unlessSaid() { #expect(DeclaredWorker("w", command: Command(["true"])).restart == .onFailure) }
}
