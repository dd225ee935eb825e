"""A simulated agent: it sends what `initfleet agent` sends, at the same moments, but has no supervisor."""

import asyncio
import json
import random
import time

from .http import Client, Refused, Unreachable, Watch
from .requests import FLEET, PREFIX, RELEASE, absent, decoded, delete, get, put, watched

RECORD_BYTES = 300
RECORD_PAUSE = 1.0
"""How many seconds are at least between two writes of a host's record."""


class Agent:
    """The agent of one host."""

    def __init__(self, number, port, behaviour, lease, figures):
        self.host = f"host-{number:05}"
        self.behaviour, self.lease, self.figures = behaviour, lease, figures
        # Each host has an address.
        self.client = Client(port, f"127.{1 + number // 62500}.{number // 250 % 250}.{1 + number % 250}", figures.opened)
        self.lease_id, self.lease_end = None, 0.0
        self.has_lease = asyncio.Event()
        self.revision = 0
        self.once = f"{PREFIX}/{FLEET} once "
        self.claim_key, self.done_key = (f"{self.once}{RELEASE} migrate {word}" for word in ("claim", "done"))
        self.record_key = f"{PREFIX}/{FLEET} host {self.host}"
        self.changed = {}
        self.change = None
        self.done_seen = False
        self.is_watching = False
        self.orders_are_watched = False
        self.fence = None
        """The revision of its claim, if it has it."""
        self.waits = False
        """Whether it knows that another host has the claim, and watches."""
        self.known = None
        """When it knew that the initializer is done."""
        self.state, self.is_changed = "pending", asyncio.Event()
        self.failures = 0
        """How many requests have failed since the last answer."""
        self.tasks = []

    async def call(self, kind, path, body):
        """The answer, whose latency is recorded. Raises `Unreachable` or `Refused`."""
        start = time.perf_counter()
        try:
            text = await self.client.exchange(path, body)
        except (Unreachable, Refused):
            self.figures.failed(kind)
            self.failures += 1
            raise
        self.failures = 0
        self.figures.answered(kind, start)
        return json.loads(text)

    async def pause(self, seconds):
        """The pause after a failed request."""
        if self.behaviour.backs_off:
            seconds *= min(2**self.failures, 16) * random.uniform(0.5, 1)
        await asyncio.sleep(seconds)

    async def transaction(self, kind, conditions, operations, others=()):
        """Whether the conditions held, the revision, and the found entries."""
        body = {"compare": conditions, "success": operations, "failure": list(others)}
        answer = await self.call(kind, "/v3/kv/txn", body)
        self.revision = int(answer["header"]["revision"])
        ranges = [each["response_range"] for each in answer.get("responses", ()) if "response_range" in each]
        return answer.get("succeeded", False), self.revision, [each.get("kvs", [None])[0] for each in ranges]

    def start(self, delay):
        """Everything that runs until `end`."""
        loop = asyncio.get_running_loop()
        self.tasks = [loop.create_task(each) for each in (self.keep_lease(delay), self.write_records(), self.watch_orders(), self.initialize())]

    def end(self):
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
            answer = await self.call("grant", "/v3/lease/grant", {"TTL": str(self.lease.length)})
        except (Unreachable, Refused):
            return await self.pause(0.5)
        self.lease_id, self.lease_end = answer["ID"], sent + self.lease.length
        self.revision = max(self.revision, int(answer["header"]["revision"]))
        self.has_lease.set()
        self.wake()
        # Its record is bound to the lease.
        self.is_changed.set()

    async def renew(self):
        await asyncio.sleep(self.lease.interval * (1 - random.uniform(0, self.behaviour.early)))
        while self.lease_id:
            sent = time.perf_counter()
            try:
                answer = await self.call("renew", "/v3/lease/keepalive", {"ID": self.lease_id})
                seconds = int(answer.get("result", {}).get("TTL", 0))
            except Unreachable:
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
                # Its claim is gone: the supervisor stops the run, and claims it again.
                self.fence = None
                self.tasks.append(asyncio.get_running_loop().create_task(self.initialize()))

    # The record of the host.

    def becomes(self, state):
        """The supervisor's states may have changed."""
        if state != self.state:
            self.state = state
            self.is_changed.set()

    async def write_records(self):
        while True:
            await self.is_changed.wait()
            await self.has_lease.wait()
            await asyncio.sleep(random.uniform(0, self.behaviour.record_pause))
            self.is_changed.clear()
            record = {"host": self.host, "release": RELEASE, "ready": self.state == "ready", "state": self.state, "time": time.time()}
            record["about"] = "." * (RECORD_BYTES - len(json.dumps(record)))
            try:
                await self.transaction("record", [], [put(self.record_key, record, self.lease_id or 0)])
            except (Unreachable, Refused):
                self.is_changed.set()
            await asyncio.sleep(RECORD_PAUSE)

    # The initializer that runs once.

    async def initialize(self):
        """From the claim until the host knows that the initializer is done, or has the claim."""
        self.becomes("launching")
        value = {"host": self.host, "owner": f"{random.getrandbits(64):x}-1"}
        reads = False
        while True:
            await self.has_lease.wait()
            conditions = [absent(self.claim_key), absent(self.done_key)]
            gets = [get(self.done_key), get(self.claim_key)]
            try:
                if reads:
                    _, revision, (done, claim) = await self.transaction("read", [], gets)
                    is_taken = False
                else:
                    taking = [put(self.claim_key, value, self.lease_id)]
                    is_taken, revision, found = await self.transaction("claim", conditions, taking, gets)
                    done, claim = found if found else (None, None)
            except (Unreachable, Refused):
                await self.pause(0.5)
                continue
            if is_taken:
                self.fence = revision
                return self.becomes("runs migrate")
            if done:
                return self.knows()
            reads = False
            if not claim:
                continue
            self.becomes("waits for migrate")
            await self.until_change(revision)
            if self.behaviour.takes_events and self.done_seen:
                return self.knows()
            reads = self.behaviour.reads_first
            await asyncio.sleep(random.uniform(0, self.behaviour.pause))

    def knows(self):
        self.known = time.perf_counter()
        self.becomes("launched")
        # The rest of the launch: the supervisor is ready a moment later.
        asyncio.get_running_loop().call_later(0.1, self.becomes, "ready")

    async def complete(self):
        """Records that the initializer is done. Returns when the request was sent, or None if the claim was lost."""
        done = {"host": self.host, "time": int(time.time()), "fence": self.fence}
        operations = [put(self.done_key, done), delete(self.claim_key)]
        while self.fence:
            sent = time.perf_counter()
            try:
                succeeded, *_ = await self.transaction("complete", [absent(self.claim_key, self.fence)], operations, [get(self.done_key)])
            except Unreachable:
                await self.pause(0.3)
                continue
            if succeeded:
                self.knows()
                return sent
            break
        return None

    # Watches.

    async def watch(self, prefix, revision, on_events, on_end):
        start = time.perf_counter()
        await Watch(on_events, on_end).open(self.client, watched(prefix, revision))
        self.figures.answered("watch", start)

    async def watch_orders(self):
        await self.has_lease.wait()
        prefix = f"{PREFIX}/{FLEET} order {self.host} "
        while not self.orders_are_watched:
            try:
                await self.watch(prefix, self.revision + 1, lambda _: None, lambda: self.figures.failed("watch"))
                self.orders_are_watched = True
            except (Unreachable, TimeoutError):
                self.figures.failed("watch")
                await self.pause(0.5)

    async def until_change(self, revision):
        """Until one of the keys has changed after a revision, or what is known about them may be wrong."""
        if not self.is_watching:
            try:
                await self.watch(self.once, revision + 1, self.take, self.lose_watch)
            except (Unreachable, TimeoutError):
                return self.figures.failed("watch")
            self.is_watching = True
        self.waits = True
        if any(each > revision for each in self.changed.values()):
            return
        self.change = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(random.uniform(*self.behaviour.patience)):
                await self.change
        except TimeoutError:
            pass

    def take(self, events):
        """The changes of the fleet's keys about initializers."""
        for event in events:
            entry = event["kv"]
            key = decoded(entry["key"])
            if key in (self.claim_key, self.done_key):
                self.changed[key] = int(entry["mod_revision"])
                self.done_seen |= key == self.done_key and event.get("type") != "DELETE"
                self.wake()

    def wake(self):
        if self.change and not self.change.done():
            self.change.set_result(None)

    def lose_watch(self):
        self.figures.failed("watch")
        self.is_watching = False
        self.wake()
