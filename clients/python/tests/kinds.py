"""The two clients behind one interface, so each test is run with both."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time

from appinitializers import AsyncClient, Client

from .fake_supervisor import DEADLINE


class Blocking:
    """`Client`."""

    def new(self, path, **options):
        return Client(path, **options)

    def do(self, value):
        return value

    def next(self, events):
        return next(events)

    def close(self):
        pass

    def pause(self):
        time.sleep(0.005)

    def wait_until(self, condition):
        """Waits for an effect of another thread or task."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, "it never happened"
            self.pause()

    @contextlib.contextmanager
    def scope(self, scope):
        with scope as entered:
            yield entered

    @contextlib.contextmanager
    def client(self, path, **options):
        with self.scope(self.new(path, **options)) as client:
            yield client


class Asynchronous(Blocking):
    """`AsyncClient`, in a loop that runs while the test waits for it."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()

    def new(self, path, **options):
        return AsyncClient(path, **options)

    def do(self, value):
        return self._loop.run_until_complete(asyncio.wait_for(value, DEADLINE)) if inspect.isawaitable(value) else value

    def next(self, events):
        try:
            return self.do(events.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None

    def pause(self):
        self.do(asyncio.sleep(0.005))

    def close(self):
        self._loop.run_until_complete(asyncio.sleep(0))
        left = asyncio.all_tasks(self._loop)
        self._loop.close()
        assert not left, f"tasks are left: {left}"

    @contextlib.contextmanager
    def scope(self, scope):
        entered = self.do(scope.__aenter__())
        try:
            yield entered
        finally:
            self.do(scope.__aexit__(None, None, None))


class Both:
    """Gives each test `self.kind`; a subclass chooses it."""

    Kind = Blocking

    def setUp(self):
        super().setUp()
        self.kind = self.Kind()
        self.addCleanup(self.kind.close)
