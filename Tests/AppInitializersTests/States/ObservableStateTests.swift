import Foundation
import Testing

@testable import AppInitializers

private func failed(_ number: Int) -> InitializationState {
  .failed(error: .initializerFailed(initializer: "a", underlyingError: Broken(number: number)))
}

@Suite("ObservableState")
struct ObservableStateTests {
  let observed = ObservedStates(StateValues())
  var state: ObservableState { ObservableState(observed: observed, row: .launch) }

  private func publish(_ values: InitializationState...) {
    for value in values { observed.publish(StateValues(launch: value)) }
  }

  private func collect(_ values: InitializationStates) async -> [InitializationState] {
    await values.reduce(into: []) { $0.append($1) }
  }

  @Test("It starts as pending, and has the last published value (S1)")
  func current() {
    #expect(state.current == .pending)
    publish(.complete, failed(1))
    #expect(state.current == failed(1))
  }

  @Test("An observer gets the current value first, then every change in order, without duplicates (S1)")
  func changes() async {
    publish(.complete)
    let values = state.values
    publish(.complete, .pending, .pending, failed(1), failed(1), failed(2), .pending)
    observed.end()
    #expect(await collect(values) == [.complete, .pending, failed(1), failed(2), .pending])
  }

  @Test("Each observer starts with the current value, and gets all values at its own pace (S1)")
  func severalObservers() async {
    let early = state.values
    publish(.complete)
    let late = state.values
    publish(.pending)
    observed.end()
    #expect(await collect(late) == [.complete, .pending])
    #expect(await collect(early) == [.pending, .complete, .pending])
  }

  @Test("An observer that is too slow loses the oldest values, but gets no duplicates (S1)")
  func backlog() async {
    let values = state.values
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == .pending)
    // Behind the gap the buffer begins with `pending`, which this observer saw last.
    for _ in 0..<ObservableState.observerBacklog { publish(.complete, .pending) }
    publish(failed(1), .pending, failed(2))
    observed.end()
    var rest: [InitializationState] = []
    while let value = await iterator.next() { rest.append(value) }
    #expect(rest.count == ObservableState.observerBacklog - 1)
    #expect(rest.first == .complete)
    #expect(rest.suffix(4) == [.pending, failed(1), .pending, failed(2)])
    #expect(zip(rest, rest.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test("A change of another state isn't delivered to its observers")
  func otherRows() async {
    let values = state.values
    observed.publish(StateValues(active: .complete))
    observed.end()
    #expect(await collect(values) == [.pending])
    #expect(ObservableState(observed: observed, row: .active).current == .complete)
  }

  @Test("If one state is read after another, the second value is never older than the first (S1)")
  func oneRecord() async {
    let observed = observed
    let rounds = 5_000
    let reader = Task.detached { () -> Int in
      var torn = 0
      while true {
        let launch = observed.value[.launch]
        let composite = observed.value[.composite]
        guard case .failed(.initializerFailed(_, let error)) = launch, let first = error as? Broken else { continue }
        if case .failed(.initializerFailed(_, let error)) = composite, let second = error as? Broken {
          if second.number < first.number { torn += 1 }
        } else {
          torn += 1
        }
        if first.number == rounds { return torn }
      }
    }
    for round in 1...rounds { observed.publish(StateValues(launch: failed(round), composite: failed(round))) }
    #expect(await reader.value == 0)
  }

  @Test("Observers whose task is cancelled, or that were never iterated, are removed")
  func forgotten() async {
    let gate = Gate()
    let watcher = Task { [state] in
      for await _ in state.values { await gate.enter() }
    }
    await gate.arrived()
    #expect(observed.observerCount == 1)
    gate.open()
    watcher.cancel()
    await watcher.value
    #expect(observed.observerCount == 0)
    _ = state.values
    #expect(observed.observerCount == 0)
  }

  @Test(
    "A task that follows a state may be cancelled while the state changes: neither waits for the other",
    arguments: 0..<16)
  func cancelledWhileChanging(others: Int) async {
    // The observed value notifies its observers in no particular order. With several, some change reaches the follower after the canceller.
    let kept = (0..<others).map { _ in state.values }
    let (follows, following) = AsyncStream.makeStream(of: Void.self)
    let follower = Task { [state] in
      for await _ in state.values { following.yield() }
    }
    for await _ in follows { break }
    // The task probably waits for the next value by now; a further change wakes it in any case.
    for _ in 0..<100 { await Task.yield() }
    let (done, isDone) = AsyncStream.makeStream(of: Void.self)
    Thread.detachNewThread { [observed] in
      let canceller = StateObserver(
        receive: { values in
          guard values.launch == .complete else { return }
          Thread.detachNewThread { follower.cancel() }
          while !follower.isCancelled { sched_yield() }
        }, finish: {})
      _ = observed.add(canceller)
      observed.publish(StateValues(launch: .complete))
      isDone.finish()
    }
    for await _ in done {}
    await follower.value
    #expect(observed.observerCount == kept.count + 1)
  }

  @Test("After the end an observer gets the last value, and the end")
  func afterTheEnd() async {
    publish(.complete)
    observed.end()
    #expect(await collect(state.values) == [.complete])
    #expect(observed.observerCount == 0)
  }
}
