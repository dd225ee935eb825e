internal import CLibuv
internal import Platform

// Terms. A *raw handle* is libuv's C struct; the loop knows its address from its init function to its close callback. An *owner* is the
// Swift object that the rest of the program uses: a timer, a poll, a stream. A `LoopHandle` connects the two. There is one for each raw
// handle, and only this type converts addresses to objects.
//
// Invariants:
//
// 1. A raw handle's memory is allocated here, and freed in its close callback and nowhere else.
// 2. Its `data` is a retained `LoopHandleBox`, released in that same callback and nowhere else. So `data` is valid in every callback.
// 3. The box holds the owner weakly: the loop keeps no owner alive. A callback does nothing if its owner is gone; while it runs, it holds
//    the owner strongly.
// 4. `close` may be called any number of times. After the first call the address is forgotten, and only the close callback follows.
// 5. A deallocated owner closes its handle; from another thread than the loop's, through the loop.
// 6. Objects that must outlive the raw handle (the descriptor that a poll watches) are kept by the box.
// 7. All of this happens on the loop's thread; every entry point checks it. Owners aren't `Sendable`.
//
// The only others are the loop's own four handles (OwnHandles.swift), and one-shot requests
// (LoopRequest.swift).

/// The connection between a raw libuv handle and the Swift object that owns it.
final class LoopHandle<Raw> {
  /// The loop of the handle.
  let loop: Loop
  /// The raw handle, or nil once it is closing.
  private(set) var pointer: UnsafeMutablePointer<Raw>?

  /// Allocates a raw handle and has it initialized by one of libuv's init functions.
  init(
    _ name: String, on loop: Loop, keeping kept: AnyObject? = nil, call: String,
    initialize: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<Raw>) -> CInt
  ) throws(SystemError) {
    loop.preconditionCurrent()
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Raw>.size, alignment: MemoryLayout<Raw>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<Raw>.size)
    let raw = memory.assumingMemoryBound(to: Raw.self)
    // Handles without system resources can't fail: a timer, a stream without its socket.
    let canFail = Raw.self != uv_timer_t.self && Raw.self != uv_pipe_t.self
    let status = canFail ? FaultInjection.status(initialize(loop.raw, raw)) : initialize(loop.raw, raw)
    guard status == 0 else {
      memory.deallocate()
      throw .uv(call, status, name)
    }
    memory.assumingMemoryBound(to: uv_handle_t.self).pointee.data =
      Unmanaged.passRetained(LoopHandleBox(name: name, kept: kept)).toOpaque()
    self.loop = loop
    self.pointer = raw
  }

  /// Sets the owner for callbacks.
  ///
  /// The owner is held weakly.
  func setOwner(_ owner: AnyObject) {
    guard let pointer else { return }
    LoopHandleBox.of(UnsafeMutableRawPointer(pointer))?.owner = owner
  }

  /// Closes the handle; its memory is freed when the loop says so.
  func close() {
    loop.preconditionCurrent()
    guard let pointer else { return }
    self.pointer = nil
    closeRawHandle(UnsafeMutableRawPointer(pointer))
  }

  deinit {
    guard let pointer else { return }
    let address = UInt(bitPattern: pointer)
    if loop.isCurrent {
      closeRawHandle(address)
    } else {
      loop.perform { closeRawHandle(address) }
    }
  }

  /// Returns the owner of the raw handle in a callback, or nil if it is deallocated.
  static func owner<Owner: AnyObject>(of raw: UnsafeMutablePointer<Raw>?, as _: Owner.Type) -> Owner? {
    guard let owner = raw.flatMap({ LoopHandleBox.of(UnsafeMutableRawPointer($0))?.owner }) else { return nil }
    return unsafeDowncast(owner, to: Owner.self)
  }
}

/// The object that a raw handle's `data` points to.
private final class LoopHandleBox {
  let name: String
  let kept: AnyObject?
  weak var owner: AnyObject?

  init(name: String, kept: AnyObject?) {
    self.name = name
    self.kept = kept
  }

  static func of(_ raw: UnsafeMutableRawPointer) -> LoopHandleBox? {
    raw.assumingMemoryBound(to: uv_handle_t.self).pointee.data
      .map { Unmanaged<LoopHandleBox>.fromOpaque($0).takeUnretainedValue() }
  }
}

private func closeRawHandle(_ address: UInt) {
  guard let raw = UnsafeMutableRawPointer(bitPattern: address) else { return }
  closeRawHandle(raw)
}

private func closeRawHandle(_ raw: UnsafeMutableRawPointer) {
  uv_close(raw.assumingMemoryBound(to: uv_handle_t.self)) { raw in
    guard let raw else { return }
    if let data = raw.pointee.data { Unmanaged<LoopHandleBox>.fromOpaque(data).release() }
    UnsafeMutableRawPointer(raw).deallocate()
  }
}

/// Returns the names of all handles of a loop that aren't closing, in the order of their creation.
func namesOfOpenHandles(on loop: UnsafeMutablePointer<uv_loop_t>) -> [String] {
  var names: [String] = []
  withUnsafeMutablePointer(to: &names) { names in
    uv_walk(
      loop,
      { raw, names in
        guard let raw, uv_is_closing(raw) == 0 else { return }
        let name = LoopHandleBox.of(UnsafeMutableRawPointer(raw))?.name ?? "handle of type \(raw.pointee.type.rawValue)"
        names?.assumingMemoryBound(to: [String].self).pointee.append(name)
      }, names)
  }
  return names
}
