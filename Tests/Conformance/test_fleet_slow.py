"""A fleet whose etcd answers late, or whose members become silent: the lease is renewed nevertheless."""

import asyncio
import collections
import threading
import unittest

from deadlines import until
from fleet import INITFLEET, Fleet, free_port

# Longer than the time after which another member is asked.
DELAY = 1.2


class SlowMember:
    """A proxy that forwards requests at once, and each byte of the answers after a delay; none while it is silent."""

    def __init__(self, target, delay):
        self.port = free_port()
        self.target, self.delay = target, delay
        self.is_silent = False
        self.is_used = False
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", self.port))
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    async def serve(self, reader, writer):
        self.is_used = True
        source, target = await asyncio.open_connection("127.0.0.1", self.target)
        try:
            await asyncio.gather(self.forward(reader, target, 0), self.forward(source, writer, self.delay))
        except ConnectionError:
            pass
        finally:
            writer.close()
            target.close()

    async def forward(self, reader, writer, delay):
        waiting = collections.deque()

        def send():
            # In order, even if two timers have the same time.
            data = waiting.popleft()
            if not self.is_silent:
                writer.write(data)

        while data := await reader.read(65536):
            waiting.append(data)
            self.loop.call_later(delay, send)
        writer.close()

    def close(self):
        async def end():
            self.server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


class SlowTests(Fleet):
    def start_members(self, delay):
        self.members = [SlowMember(self.port, delay) for _ in range(3)]
        for member in self.members:
            self.addCleanup(member.close)

    def agent(self, supervisor, name, lease="4s", *options, env=None):
        endpoints = ",".join(f"http://127.0.0.1:{member.port}" for member in self.members)
        words = [INITFLEET, "agent", "--etcd", endpoints, "--fleet", "shop", "--host", name]
        return self.program([*words, "--lease", lease, "--socket", supervisor.path, *options], env=env)

    def test_a_run_is_not_stopped_because_all_answers_are_late(self):
        self.start_members(DELAY)
        host = self.host("a", sleep="8")
        self.check_run(host)

    def test_a_run_is_not_stopped_because_the_member_in_use_becomes_silent(self):
        self.start_members(0)
        host = self.host("a", sleep="8")
        until(self.lines, "the start")
        used = [member for member in self.members if member.is_used]
        self.assertLess(len(used), len(self.members))
        for member in used:
            member.is_silent = True
        self.check_run(host)

    def check_run(self, host):
        """Checks that a run, which takes two leases, isn't stopped."""
        self.assertEqual(self.launched(host), "complete")
        self.assertEqual([line.split()[0] for line in self.lines()], ["start", "end", "serve"])
        host.agent.pump()
        self.assertNotIn("the lease of this host has ended", host.agent.err.decode())


if __name__ == "__main__":
    unittest.main()
