internal import Glibc
public import Platform

extension Loop {
  /// Ensures that the grandchildren of this loop are killed if this process is killed, until ``endGuard()``.
  ///
  /// The first process of a container doesn't need a guard: the kernel kills all its processes.
  ///
  /// - Parameters:
  ///   - grace: the time that a child that keeps our terminal has to exit after SIGTERM.
  ///   - lock: the lock that is held until the other children have ended.
  ///   - onLoss: called when the guard was lost, and was replaced or couldn't be.
  /// - Throws: why the guard can't be started.
  public func guardChildren(
    grace: Duration, lock: Descriptor?, onLoss: @escaping (GuardLoss) -> Void
  ) throws(SystemError) {
    preconditionCurrent()
    guard children.guardKeeper == nil, getpid() != 1 else { return }
    let new = try ChildGuard(grace: grace, lock: lock)
    do throws(SystemError) {
      children.guardKeeper = try GuardKeeper(new, loop: self, onLoss: onLoss)
    } catch {
      children.pids.remove(new.pid)
      new.close()
      throw error
    }
  }

  /// Ends the guard.
  ///
  /// Further calls have no effect.
  public func endGuard() {
    children.guardKeeper?.close()
    children.guardKeeper = nil
  }

  /// Kills grandchildren if this process is killed.
  package var childGuard: ChildGuard? { children.guardKeeper?.childGuard }
}
