internal import Glibc
public import Platform

extension Loop {
  /// From now on, if we are killed, what this loop's children have started is killed, too: until ``endGuard()``. The first process of a
  /// container has no need of it: the kernel ends all of it then.
  ///
  /// - Parameters:
  ///   - grace: how long a child that keeps our terminal has to end by itself.
  ///   - lock: what nobody else can have before the other children are dead.
  /// - Throws: why there can be no guard.
  public func guardChildren(grace: Duration, lock: Descriptor?) throws(SystemError) {
    preconditionCurrent()
    guard childGuard == nil, getpid() != 1 else { return }
    let new = try ChildGuard(grace: grace, lock: lock)
    children.insert(new.pid)
    childGuard = new
  }

  /// Nobody guards this loop's children any more; any number of times.
  public func endGuard() {
    guard let childGuard else { return }
    children.remove(childGuard.pid)
    childGuard.close()
    self.childGuard = nil
  }
}
