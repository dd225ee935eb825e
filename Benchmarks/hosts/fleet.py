"""A fleet of simulated agents on one etcd, from its start until it is idle."""

import asyncio
import gc
import json
import random
import sys
import time

from .agent import Agent
from .figures import Figures
from .etcd import Client, Watch
from .requests import FLEET, PREFIX, after_all, coded, decoded, watched

LATEST = 180
"""After how many seconds a phase is given up."""


class Observer:
    """Runs one `initfleet wait ready --count N`: it watches the records of all hosts."""

    def __init__(self, client):
        self.client = client
        self.ready = set()
        self.moments = []
        """When each host was seen to be ready."""

    async def begin(self):
        self.watch = Watch(self.take, lambda: None)
        await self.watch.open(self.client, watched(f"{PREFIX}/{FLEET} host ", after_all(f"{PREFIX}/{FLEET} host "), 1))

    def take(self, events):
        for event in events:
            # An event without a value deletes the key.
            if "value" in event["kv"] and (record := json.loads(decoded(event["kv"]["value"])))["ready"]:
                if record["host"] not in self.ready:
                    self.ready.add(record["host"])
                    self.moments.append(time.perf_counter())


class Fleet:
    """`hosts` agents with the same behaviour, which start within `window` seconds."""

    def __init__(self, store, hosts, behaviour, lease, window):
        self.figures = Figures()
        self.window, self.lease = window, lease
        self.store, self.client = store, Client(store.port, lambda: None)
        self.agents = [Agent(number, store.port, behaviour, lease, self.figures) for number in range(hosts)]
        self.observer = Observer(self.client)
        self.seconds_until_known = []
        self.seconds_until_ready = 0.0
        self.empty = None
        """The resources that etcd had used before."""
        self.key_count, self.key_bytes = 0, 0

    async def sample(self):
        return await asyncio.to_thread(self.store.sample)

    async def phase(self, name):
        print(f"{len(self.agents):,} hosts: {name}", file=sys.stderr, flush=True)
        self.figures.begin(name, await self.sample())

    async def measure(self, hold, idle):
        """All phases; `hold` and `idle` are the seconds in which nothing changes."""
        self.empty = await self.sample()
        await self.observer.begin()
        await self.phase("start")
        # The program makes no cycles that must be found; a collection would be a pause of all hosts.
        gc.collect()
        gc.freeze()
        gc.disable()
        for agent in self.agents:
            agent.start(random.uniform(0, self.window))
        await self.until(lambda agent: agent.fence or (agent.waits and agent.orders_are_watched), "host doesn't know who has the claim")
        await asyncio.sleep(2)
        await self.phase("wait")
        await asyncio.sleep(hold)

        await self.phase("release")
        while not (sent := await self.complete()):
            await asyncio.sleep(0.1)
        await self.until(lambda agent: agent.known, "host doesn't know that the initializer is done")
        self.seconds_until_known = sorted(agent.known - sent for agent in self.agents)
        deadline = time.perf_counter() + LATEST
        while len(self.observer.ready) < len(self.agents) and time.perf_counter() < deadline:
            await asyncio.sleep(0.01)
        self.seconds_until_ready = max(self.observer.moments) - sent
        await asyncio.sleep(2)

        await self.phase("idle")
        await asyncio.sleep(idle)
        self.figures.end(await self.sample())
        await self.count_keys()
        gc.enable()
        self.observer.watch.close()
        for agent in self.agents:
            agent.end()
        await asyncio.gather(*(task for agent in self.agents for task in agent.tasks), return_exceptions=True)
        for client in [self.client, *(agent.client for agent in self.agents)]:
            await client.channel.close()

    async def complete(self):
        """When the completion was sent; None if no host has the claim now."""
        for agent in self.agents:
            if agent.fence:
                return await agent.complete()
        return None

    async def until(self, holds, problem):
        """Waits until something holds for all hosts."""
        deadline = time.perf_counter() + LATEST
        left = self.agents
        while left := [agent for agent in left if not holds(agent)]:
            for agent in left[:1]:
                for task in agent.tasks:
                    if task.done() and not task.cancelled() and (error := task.exception()):
                        raise error
            if time.perf_counter() > deadline:
                raise SystemExit(f"cannot measure this: after {LATEST} s, {len(left)} × a {problem}; use fewer hosts or a longer lease")
            await asyncio.sleep(0.02)

    async def count_keys(self):
        """The fleet's keys, and the bytes of keys and values."""
        prefix = f"{PREFIX}/{FLEET} "
        answer = await self.client.exchange("KV/Range", {"key": coded(prefix), "range_end": coded(after_all(prefix))})
        found = answer.get("kvs", [])
        self.key_count = len(found)
        self.key_bytes = sum(len(decoded(each["key"])) + len(decoded(each.get("value", ""))) for each in found)


async def measured(store, hosts, behaviour, lease, window, hold, idle):
    """A fleet that was measured."""
    fleet = Fleet(store, hosts, behaviour, lease, window)
    await fleet.measure(hold, idle)
    return fleet
