"""Declarations that the compiler can't check."""

from __future__ import annotations

import re
from typing import Iterator

from .swift_source import code, line_of
from .tree import Tree, short

TRUSTED = re.compile(
    r"@unchecked\s+Sendable|\b(?:nonisolated|unowned)\s*\(\s*unsafe\s*\)|\bUnmanaged\b|\bunsafe(?:BitCast|Downcast)\b"
)
# How often each file may use unchecked declarations, and why. Folders within a module are ignored.
MAY_TRUST = {
    "AppInitializers/InitializerProvider.swift": (1, "its objects are Sendable, or were sent to the manager, which runs one at a time"),
    "AppInitializersFoundation/NotificationLifecycle.swift": (1, "an observer's token is only ever handed back"),
    "AppInitializersPublishers/StateSubscription.swift": (1, "guarded by the lock around it; the subscriber is called by one thread at a time"),
    "InitClient/Sleep.swift": (1, "used on the loop's thread; from others only by way of the loop's queue"),
    "InitClient/WaitingNotice.swift": (1, "touched by the loop's thread alone"),
    "InitProcesses/EnvironmentBlock.swift": (1, "never changed once it is made"),
    "InitProcesses/ForwardableSignals.swift": (2, "compares the addresses of signal handlers, which Swift can't compare otherwise"),
    "InitSupervisor/EmbeddedSupervisor.swift": (1, "objects that are sent to the loop's thread, and used there once"),
    "InitSupervisor/LoopAlarm.swift": (1, "what it confines is touched by the loop's thread alone"),
    "EventLoop/LogDrain.swift": (1, "touched by the loop's thread alone"),
    "EventLoop/Loop.swift": (3, "all but its queue, which has a lock, is touched by its own thread; its raw handles' data is the loop itself"),
    "EventLoop/Loop+confined.swift": (2, "moved to the loop's thread, and used there alone"),
    "EventLoop/LoopHandle.swift": (4, "the bridge between libuv's handles and their owners, by the law at its head"),
    "EventLoop/LoopReference.swift": (1, "the object is taken out on its loop's thread alone, which it checks"),
    "EventLoop/LoopRequest.swift": (2, "the bridge between libuv's requests and their completions, by the law at its head"),
    "EventLoop/ProgramLoop.swift": (2, "calls what is isolated to the loop, on whose thread it checks to be; the result of a task on that thread"),
    "EventLoop/Stream.swift": (1, "a stream that is told of an error later, on its loop's thread"),
    "HostNames/NameChannel.swift": (3, "what c-ares has of the object that destroys its channel, in its callbacks"),
    "Platform/PlatformThread.swift": (2, "what a new thread is given, through C"),
    "Platform/WakeUps.swift": (1, "a semaphore"),
    "initd/Initd+signals.swift": (1, "touched by the main thread alone"),
}


def findings(tree: Tree) -> Iterator[str]:
    """Checks that unchecked declarations are only where the list allows them."""
    trusted: dict[str, int] = {}
    for file in tree.files("Sources"):
        text, name = code(tree.text(file)), short(file)
        allowed = MAY_TRUST.get(name, (0, ""))[0]
        for found in TRUSTED.finditer(text):
            trusted[name] = trusted.get(name, 0) + 1
            if trusted[name] == allowed + 1:
                yield (
                    f"{file}:{line_of(text, found.start())}: {' '.join(found[0].split())}: {allowed} of its kind allowed here, this is one more; "
                    "do without, or give the reason in scripts/house/trust.py"
                )
    for name, (count, _) in MAY_TRUST.items():
        if trusted.get(name, 0) < count:
            yield f"scripts/house/trust.py: {name} trusts in {trusted.get(name, 0)} places, and may in {count}; correct the list"
