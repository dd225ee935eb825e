import AppInitializers
import Glibc
import Testing

@testable import AppInitializersSignals

/// Each test runs in its own process, because signal handlers belong to the whole process.
@Suite("SignalLifecycle")
struct SignalLifecycleTests {
  @Test("Each signal becomes an event, in the order in which the signals were handled")
  func events() async {
    await #expect(processExitsWith: .success) {
      let lifecycle = try SignalLifecycle(activate: SIGUSR1, deactivate: SIGUSR2)
      var iterator = lifecycle.makeAsyncIterator()
      for (signal, event) in [(SIGUSR2, LifecycleEvent.deactivate), (SIGUSR1, .activate), (SIGUSR1, .activate)] {
        kill(getpid(), signal)
        let next = await iterator.next()
        precondition(next == event)
      }
    }
  }

  @Test(
    "Only one source at a time can watch a signal; when it ends, the signal has its previous action again"
  )
  func exclusive() async {
    await #expect(processExitsWith: .success) {
      func dispositionIsDefault(_ signal: Int32) -> Bool {
        var present = sigaction()
        sigaction(signal, nil, &present)
        return present.__sigaction_handler.sa_handler == nil
      }
      var first: SignalLifecycle? = try SignalLifecycle(activate: SIGUSR1, deactivate: SIGUSR2)
      precondition(first != nil && !dispositionIsDefault(SIGUSR1))
      do throws(SignalLifecycleError) {
        _ = try SignalLifecycle(activate: SIGHUP, deactivate: SIGUSR2)
        preconditionFailure("two watch one signal")
      } catch {
        precondition(error == SignalLifecycleError(signal: SIGUSR2, reason: .watched), "\(error)")
      }
      precondition(dispositionIsDefault(SIGHUP), "what was taken of a pair that can't be is given back")
      first = nil
      precondition(dispositionIsDefault(SIGUSR1) && dispositionIsDefault(SIGUSR2))
      _ = try SignalLifecycle(activate: SIGUSR1, deactivate: SIGUSR2)
    }
  }

  @Test("A signal that can't be caught, doesn't exist, or is given twice is an error with a remedy")
  func errors() {
    for (pair, reason) in [
      ([SIGKILL, SIGUSR1], SignalLifecycleError.Reason.uncatchable), ([0, SIGUSR1], .uncatchable),
      ([SIGUSR1, SIGUSR1], .twice),
    ] {
      #expect(throws: SignalLifecycleError(signal: pair[0], reason: reason)) {
        _ = try SignalLifecycle(activate: pair[0], deactivate: pair[1])
      }
    }
    #expect(SignalLifecycleError(signal: 9, reason: .uncatchable).description.contains(";"))
  }

  @Test("Job control: the process stops after the deactivation, and is active again when it continues")
  func jobControl() async {
    await #expect(processExitsWith: .success) {
      // A process group that isn't orphaned: a process of our session outside of it is a parent.
      precondition(setpgid(0, 0) == 0)
      let lifecycle = try SignalLifecycle.jobControl()
      var iterator = lifecycle.makeAsyncIterator()
      // Another process continues this one once it has stopped.
      let parent = getpid()
      kill(parent, SIGTSTP)
      let first = await iterator.next()
      precondition(first == .deactivate)
      let script = "while ! grep -q '^State:.*T' /proc/\(parent)/status; do :; done; kill -CONT \(parent)"
      var helper = pid_t()
      var arguments: [UnsafeMutablePointer<CChar>?] =
        ["sh", "-c", script].map { (word: String) in strdup(word) } + [nil]
      precondition(posix_spawn(&helper, "/bin/sh", nil, nil, &arguments, environ) == 0)
      let second = await iterator.next()
      precondition(second == .activate)
      var status: Int32 = 0
      precondition(waitpid(helper, &status, 0) == helper && status == 0)
    }
  }

  @Test("Job control: a process that is continued before it has stopped doesn't stop")
  func continuedBefore() async {
    await #expect(processExitsWith: .success) {
      precondition(setpgid(0, 0) == 0)
      let lifecycle = try SignalLifecycle.jobControl()
      var iterator = lifecycle.makeAsyncIterator()
      kill(getpid(), SIGTSTP)
      let first = await iterator.next()
      precondition(first == .deactivate)
      kill(getpid(), SIGCONT)
      while JobControl.isStopDue { await Task.yield() }
      let second = await iterator.next()
      precondition(second == .activate)
    }
  }

  @Test("Job control: in an orphaned group, where SIGTSTP has no effect, it is ignored")
  func orphaned() async {
    await #expect(processExitsWith: .success) {
      precondition(setsid() > 0 || getsid(0) == getpid())
      let lifecycle = try SignalLifecycle.jobControl()
      var iterator = lifecycle.makeAsyncIterator()
      kill(getpid(), SIGTSTP)
      // Until it has been handled: SIGCONT discards a pending SIGTSTP.
      while !JobControl.isStopDue { await Task.yield() }
      kill(getpid(), SIGCONT)
      let first = await iterator.next()
      precondition(first == .activate)
    }
  }
}
