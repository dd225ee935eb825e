"""A fleet whose etcd answers late: each answer takes longer than the time after which another member is asked."""

import asyncio
import collections
import threading
import unittest

from fleet import INITFLEET, Fleet, free_port

DELAY = 1.2


class SlowMember:
    """A proxy that forwards requests at once, and each byte of the answers after a delay."""

    def __init__(self, target, delay):
        self.port = free_port()
        self.target, self.delay = target, delay
        self.loop = asyncio.new_event_loop()
        self.server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", self.port))
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    async def serve(self, reader, writer):
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
            writer.write(waiting.popleft())

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
    def setUp(self):
        super().setUp()
        self.members = [SlowMember(self.port, DELAY) for _ in range(3)]
        for member in self.members:
            self.addCleanup(member.close)

    def agent(self, supervisor, name, lease="4s", *options, env=None):
        endpoints = ",".join(f"http://127.0.0.1:{member.port}" for member in self.members)
        words = [INITFLEET, "agent", "--etcd", endpoints, "--fleet", "shop", "--host", name]
        return self.program([*words, "--lease", lease, "--socket", supervisor.path, *options], env=env)

    def test_a_run_is_not_stopped_because_all_answers_are_late(self):
        # The run takes two leases.
        host = self.host("a", sleep="8")
        self.assertEqual(self.launched(host), "complete")
        self.assertEqual([line.split()[0] for line in self.lines()], ["start", "end", "serve"])
        host.agent.pump()
        self.assertNotIn("the lease of this host has ended", host.agent.err.decode())


if __name__ == "__main__":
    unittest.main()
