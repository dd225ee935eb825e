internal import Glibc
public import Platform

extension Loop {
  /// Ensures that the grandchildren of this loop are killed if this process is killed, until ``endGuard()``. The first process of a
  /// container doesn't need a guard: the kernel kills all its processes.
  ///
  /// - Parameters:
  ///   - grace: how long a child that keeps our terminal has to exit after SIGTERM.
  ///   - lock: the lock that is held until the other children are dead.
  /// - Throws: why the guard can't be started.
  public func guardChildren(grace: Duration, lock: Descriptor?) throws(SystemError) {
    preconditionCurrent()
    guard childGuard == nil, getpid() != 1 else { return }
    let new = try ChildGuard(grace: grace, lock: lock)
    children.insert(Int(new.pid))
    childGuard = new
  }

  /// Ends the guard. Further calls have no effect.
  public func endGuard() {
    guard let childGuard else { return }
    children.remove(Int(childGuard.pid))
    childGuard.close()
    self.childGuard = nil
  }
}
