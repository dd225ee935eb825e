"""The rows: each module measures one, or a few that share their servers. ROWS has them in the order of the table."""

from . import chain, fanout, ping, worker

ROWS = {
    "chain": chain.rows,
    "relay": worker.relay,
    "runs": worker.runs,
    "ping": ping.plain,
    "ping-pipelined": ping.pipelined,
    "fanout": fanout.rows,
    "cancel": worker.cancel,
}
