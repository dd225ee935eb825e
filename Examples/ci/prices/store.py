"""Prices in Redis."""

import redis


def connect() -> "redis.Redis":
    return redis.Redis(unix_socket_path="state/redis.sock", decode_responses=True)


def put(name: str, cents: int) -> None:
    connect().hset("prices", name, cents)


def price(name: str) -> int:
    return int(connect().hget("prices", name))


def count() -> int:
    return connect().hlen("prices")
