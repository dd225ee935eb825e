"""A simulated agent: it sends the requests of `initfleet agent` at the same times, but has no supervisor."""

import asyncio
import json
import random
import time

from .etcd import Client, Refused, Unreachable, Watch
from .requests import FLEET, PREFIX, RELEASE, absent, after_all, coded, decoded, delete, get, put, watched

RECORD_BYTES = 300
RECORD_PAUSE = 2.0
"""The minimum number of seconds between two writes of a host's record, if only the running or waiting initializers have changed."""
PROGRESS_PAUSE = 2.0
"""How many seconds are at least between two writes of the progress."""


class Agent:
    """The agent of one host."""

    def __init__(self, number, port, behaviour, lease, figures):
        self.host = f"host-{number:05}"
        self.behaviour, self.lease, self.figures = behaviour, lease, figures
        self.client = Client(port, figures.opened)
        self.lease_id, self.lease_end = None, 0.0
        self.has_lease = asyncio.Event()
        self.revision = 0
        self.orders_watch = None
        self.once = f"{PREFIX}/{FLEET} once "
        self.claim_key, self.done_key = (f"{self.once}{RELEASE} migrate {word}" for word in ("claim", "done"))
        self.failed_key = f"{self.once}{RELEASE} migrate failed"
        self.claim_watch = None
        self.record_key = f"{PREFIX}/{FLEET} host {self.host}"
        self.change = None
        self.done_seen = False
        self.orders_are_watched = False
        self.fence = None
        """The revision of the agent's claim, if it has the claim."""
        self.waits = False
        """Whether the agent knows that another host has the claim, and watches."""
        self.known = None
        """The time at which the agent knew that the initializer is done."""
        self.state, self.waiting, self.is_changed, self.is_urgent = "pending", False, asyncio.Event(), False
        self.failures = 0
        """How many requests have failed since the last answer."""
        self.tasks = []

    async def call(self, kind, path, body):
        """The answer, whose latency is recorded. Raises `Unreachable` or `Refused`."""
        start = time.perf_counter()
        try:
            answer = await self.client.exchange(path, body)
        except (Unreachable, Refused):
            self.figures.failed(kind)
            self.failures += 1
            raise
        self.failures = 0
        self.figures.answered(kind, start)
        return answer

    async def pause(self, seconds):
        """The pause after a failed request."""
        await asyncio.sleep(seconds * min(2**self.failures, 16) * random.uniform(0.5, 1))

    async def transaction(self, kind, conditions, operations, others=()):
        """Whether the conditions held, the revision, and the found entries."""
        body = {"compare": conditions, "success": operations, "failure": list(others)}
        answer = await self.call(kind, "KV/Txn", body)
        self.revision = int(answer["header"]["revision"])
        ranges = [each["response_range"] for each in answer.get("responses", ()) if "response_range" in each]
        return answer.get("succeeded", False), self.revision, [each.get("kvs", [None])[0] for each in ranges]

    def start(self, delay):
        """Runs all tasks until `end`."""
        loop = asyncio.get_running_loop()
        self.tasks = [loop.create_task(each) for each in (self.keep_lease(delay), self.write_records(), self.watch_orders(), self.initialize())]

    def end(self):
        for watch in (self.orders_watch, self.claim_watch):
            if watch:
                watch.close()
        for task in self.tasks:
            task.cancel()

    # The lease.

    async def keep_lease(self, delay):
        await asyncio.sleep(delay)
        while True:
            await (self.renew() if self.lease_id else self.obtain())

    async def obtain(self):
        sent = time.perf_counter()
        try:
            answer = await self.call("grant", "Lease/LeaseGrant", {"TTL": str(self.lease.length)})
        except (Unreachable, Refused):
            return await self.pause(0.5)
        self.lease_id, self.lease_end = answer["ID"], sent + self.lease.length
        self.revision = max(self.revision, int(answer["header"]["revision"]))
        self.has_lease.set()
        # The record is bound to the lease.
        self.is_changed.set()

    async def renew(self):
        await asyncio.sleep(self.lease.interval * (1 - random.uniform(0, 0.1)))
        while self.lease_id:
            sent = time.perf_counter()
            try:
                seconds = await self.client.renew(self.lease_id)
                self.failures = 0
                self.figures.answered("renew", sent)
            except Unreachable:
                self.figures.failed("renew")
                self.failures += 1
                if time.perf_counter() < self.lease_end:
                    await self.pause(0.3)
                    continue
                seconds = 0
            except Refused:
                seconds = 0
            if seconds:
                self.lease_end = sent + seconds
                return
            self.lease_id = None
            self.has_lease.clear()
            self.figures.lost_leases += 1
            if self.fence:
                # The claim is gone: the supervisor stops the run, and claims it again.
                self.fence = None
                self.tasks.append(asyncio.get_running_loop().create_task(self.initialize()))

    # The record of the host.

    def becomes(self, state):
        """The supervisor's states have changed."""
        self.state = state
        self.is_urgent = True
        self.is_changed.set()

    def begins_to_wait(self):
        """The supervisor waits for another host, whose progress isn't in this host's record."""
        if not self.waiting:
            self.waiting = True
            self.is_changed.set()

    async def write_records(self):
        written = -RECORD_PAUSE
        while True:
            await self.is_changed.wait()
            while not self.is_urgent and (rest := written + RECORD_PAUSE - time.perf_counter()) > 0:
                await asyncio.sleep(min(rest, 0.1))
            await self.has_lease.wait()
            self.is_changed.clear()
            self.is_urgent = False
            written = time.perf_counter()
            record = {"host": self.host, "release": RELEASE, "ready": self.state == "ready", "state": self.state, "waiting": self.waiting, "time": time.time()}
            record["about"] = "." * (RECORD_BYTES - len(json.dumps(record)))
            try:
                await self.transaction("record", [], [get(self.record_key), put(self.record_key, record, self.lease_id or 0)])
            except (Unreachable, Refused):
                self.is_changed.set()
                await asyncio.sleep(random.uniform(0.3, 0.7))

    # The initializer that runs once.

    async def initialize(self):
        """Waits until the host knows that the initializer is done, or has the claim."""
        self.becomes("launching")
        value = {"host": self.host, "owner": f"{random.getrandbits(64):x}-1"}
        conditions = [absent(self.claim_key), absent(self.done_key)]
        gets = [get(self.done_key), get(self.claim_key), get(self.failed_key)]
        while True:
            await self.has_lease.wait()
            try:
                is_taken, revision, found = await self.transaction("claim", conditions, [put(self.claim_key, value, self.lease_id)], gets)
            except (Unreachable, Refused):
                await self.pause(0.5)
                continue
            if is_taken:
                self.fence = revision
                if self.behaviour.progress:
                    self.tasks.append(asyncio.get_running_loop().create_task(self.report(value)))
                return self.becomes("runs migrate")
            done, claim, _ = found
            if done:
                return self.knows()
            if not claim:
                continue
            self.becomes("waits for migrate")
            await self.until_change(revision)
            if self.done_seen:
                return self.knows()
            await asyncio.sleep(random.uniform(0.1, 0.4))

    async def report(self, value):
        """Writes the progress of the run into its claim."""
        percent = 0
        while self.fence:
            await asyncio.sleep(max(self.behaviour.progress, PROGRESS_PAUSE))
            percent += 1
            if self.fence:
                try:
                    claim = put(self.claim_key, {**value, "progress": f"{percent} %"}, self.lease_id)
                    await self.transaction("progress", [absent(self.claim_key, self.fence)], [claim])
                except (Unreachable, Refused):
                    pass

    def knows(self):
        self.known = time.perf_counter()
        self.waiting = False
        if self.claim_watch:
            self.claim_watch.close()
        self.becomes("launched")
        # The rest of the launch: the supervisor is ready a moment later.
        asyncio.get_running_loop().call_later(0.1, self.becomes, "ready")

    async def complete(self):
        """Records that the initializer is done. Returns when the request was sent, or None if the claim was lost."""
        done = {"host": self.host, "time": int(time.time()), "fence": self.fence}
        operations = [put(self.done_key, done), delete(self.claim_key), delete(self.failed_key)]
        while self.fence:
            sent = time.perf_counter()
            try:
                succeeded, *_ = await self.transaction("complete", [absent(self.claim_key, self.fence)], operations, [get(self.done_key)])
            except Unreachable:
                await self.pause(0.3)
                continue
            if succeeded:
                self.fence = None
                self.knows()
                return sent
            break
        return None

    # Watches.

    async def watch(self, first, end, revision, on_events, on_end):
        start = time.perf_counter()
        watch = Watch(on_events, on_end)
        await watch.open(self.client, watched(first, end, revision))
        self.figures.answered("watch", start)
        return watch

    async def watch_orders(self):
        await self.has_lease.wait()
        prefix = f"{PREFIX}/{FLEET} order {self.host} "
        while not self.orders_are_watched:
            try:
                answer = await self.call("read", "KV/Range", {"key": coded(prefix), "range_end": coded(after_all(prefix))})
                await self.transaction("read", [], [get(self.record_key)])
                revision = int(answer["header"]["revision"])
                self.orders_watch = await self.watch(prefix, after_all(prefix), revision + 1, lambda _: None, lambda: self.figures.failed("watch"))
                self.orders_are_watched = True
            except (Unreachable, Refused):
                self.figures.failed("watch")
                await self.pause(0.5)

    async def until_change(self, revision):
        """Watches until the initializer is done or free, or the watch is lost."""
        self.change = asyncio.get_running_loop().create_future()
        try:
            self.claim_watch = await self.watch(self.claim_key, self.done_key + "\0", revision + 1, self.take, self.lose_watch)
        except (Unreachable, Refused):
            return self.figures.failed("watch")
        self.waits = True
        self.begins_to_wait()
        await self.change
        self.claim_watch.close()

    def take(self, events):
        """The changes of the claim and of the completion."""
        for event in events:
            key, is_deleted = decoded(event["kv"]["key"]), event.get("type") == "DELETE"
            if key == self.done_key and not is_deleted:
                self.done_seen = True
            # A claim that is written has a new progress.
            if key == self.done_key or (key == self.claim_key and is_deleted):
                self.wake()

    def wake(self):
        if self.change and not self.change.done():
            self.change.set_result(None)

    def lose_watch(self):
        self.figures.failed("watch")
        self.wake()
