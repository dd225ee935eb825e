"""The rows, in the order of the table. Each function measures one row, or a few that share their servers."""

from . import clients, commands, fanout, idle, library, ping, start, worker

ROWS = {
    "chain": commands.chain,
    "layers": commands.layers,
    "layers-cold": commands.layers_cold,
    "relay": worker.relay,
    "runs": worker.runs,
    "cancel": worker.cancel,
    "ping": ping.plain,
    "ping-pipelined": ping.pipelined,
    "fanout": fanout.rows,
    "clients": clients.rows,
    "idle": idle.rows,
    "start": start.first_answer,
    "sandbox": start.sandbox,
    "version": start.version,
    "sizes": start.sizes,
    "inprocess-chain": library.chain,
    "inprocess-fan": library.fan,
    "inprocess-layers": library.layers,
    "texts": library.texts,
}
