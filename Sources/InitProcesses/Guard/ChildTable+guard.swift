internal import EventLoop
internal import Glibc
public import Platform

extension ChildTable {
  /// Ensures that the grandchildren of this process are killed if this process is killed, until ``endGuard()``.
  ///
  /// The first process of a container doesn't need a guard: the kernel kills all its processes.
  ///
  /// - Parameters:
  ///   - grace: the time that a child that keeps our terminal has to exit after SIGTERM.
  ///   - lock: the lock that is held until the other children have ended.
  ///   - onLoss: called when the guard was lost, and was replaced or couldn't be.
  /// - Throws: why the guard can't be started.
  public func startGuard(
    grace: Duration, lock: Descriptor?, onLoss: @escaping (GuardLoss) -> Void
  ) throws(SystemError) {
    loop.preconditionCurrent()
    guard guardKeeper == nil, getpid() != 1 else { return }
    let new = try ChildGuard(grace: grace, lock: lock)
    do throws(SystemError) {
      guardKeeper = try GuardKeeper(new, of: self, onLoss: onLoss)
    } catch {
      remove(new.pid)
      new.close()
      throw error
    }
  }

  /// Ends the guard.
  ///
  /// Further calls have no effect.
  public func endGuard() {
    guardKeeper?.close()
    guardKeeper = nil
  }

  /// Kills grandchildren if this process is killed.
  package var childGuard: ChildGuard? { guardKeeper?.childGuard }
}
