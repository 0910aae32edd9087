"""Queues of servers on loopback, for ``peers``: a put and a get each, of one message of 1 KiB, flushed where they can.

``benchmarks/README.md`` has the commands that start them. The ports are none that they have by themselves: a server
that is used otherwise is not touched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from measure import BODY

_REDIS, _POSTGRESQL, _RABBITMQ, _NATS = 16379, 15432, 15673, 14222
_HOST, _QUEUE = "127.0.0.1", "bench"


class Calls(NamedTuple):
    """What is measured of a queue: a put, a get, and a put of many together, where it has that; how to end."""

    put: Callable[[], object]
    get: Callable[[], object]
    put_many: Callable[[int], object] | None = None
    close: Callable[[], object] = lambda: None


def redis() -> Calls:
    """Return calls of Redis: a list, each change flushed before the answer (``appendfsync always``)."""
    from redis import Redis  # type: ignore[import-not-found]

    client = Redis(_HOST, _REDIS)
    client.delete(_QUEUE)

    def put_many(number: int) -> None:
        with client.pipeline(transaction=True) as pipeline:
            for _ in range(number):
                pipeline.rpush(_QUEUE, BODY)
            pipeline.execute()

    return Calls(lambda: client.rpush(_QUEUE, BODY), lambda: client.lpop(_QUEUE), put_many, client.close)


def postgresql() -> Calls:
    """Return calls of PostgreSQL: a table, one transaction a call."""
    import psycopg  # type: ignore[import-not-found]

    sql = psycopg.connect(f"host={_HOST} port={_POSTGRESQL} user=postgres dbname=postgres", autocommit=True)
    sql.execute("drop table if exists bench")
    sql.execute("create table bench (id bigserial primary key, body bytea not null)")
    insert = "insert into bench (body) values (%b)"
    take = (
        "delete from bench where id = (select id from bench order by id limit 1 for update skip locked) returning body"
    )

    def put_many(number: int) -> None:
        with sql.transaction():
            for _ in range(number):
                sql.execute(insert, (BODY,))

    return Calls(lambda: sql.execute(insert, (BODY,)), lambda: sql.execute(take).fetchone(), put_many, sql.close)


def rabbitmq() -> Calls:
    """Return calls of RabbitMQ: a durable queue, persistent messages, each confirmed.

    A get is acknowledged to the server, which does not say when that is on the disk.
    """
    import pika  # type: ignore[import-not-found]

    connection = pika.BlockingConnection(pika.ConnectionParameters(_HOST, _RABBITMQ))
    channel = connection.channel()
    channel.queue_declare(_QUEUE, durable=True)
    channel.queue_purge(_QUEUE)
    channel.confirm_delivery()
    persistent = pika.BasicProperties(delivery_mode=2)

    def get() -> None:
        method, _, _ = channel.basic_get(_QUEUE)
        channel.basic_ack(method.delivery_tag)

    return Calls(lambda: channel.basic_publish("", _QUEUE, BODY, persistent), get, close=connection.close)


def nats() -> Calls:
    """Return calls of NATS: a stream in files, which the server flushes from time to time only."""
    import nats as client  # type: ignore[import-not-found]

    loop = asyncio.new_event_loop()
    run: Callable[[Any], Any] = loop.run_until_complete

    async def connect() -> tuple[Any, Any, Any]:
        connection = await client.connect(
            f"nats://{_HOST}:{_NATS}", allow_reconnect=False, max_reconnect_attempts=1, reconnect_time_wait=0
        )
        stream = connection.jetstream()
        await stream.add_stream(name=_QUEUE, subjects=[_QUEUE], retention="workqueue")
        await stream.purge_stream(_QUEUE)
        return connection, stream, await stream.pull_subscribe(_QUEUE, _QUEUE)

    async def get() -> None:
        (message,) = await subscription.fetch(1)
        await message.ack_sync()

    async def put_many(number: int) -> None:
        await asyncio.gather(*(stream.publish(_QUEUE, BODY) for _ in range(number)))

    connection, stream, subscription = run(connect())
    return Calls(
        lambda: run(stream.publish(_QUEUE, BODY)),
        lambda: run(get()),
        lambda number: run(put_many(number)),
        lambda: run(connection.close()),
    )


#: Server to what makes its calls.
SERVERS: dict[str, Callable[[], Calls]] = {
    "Redis": redis,
    "PostgreSQL": postgresql,
    "RabbitMQ": rabbitmq,
    "NATS": nats,
}
