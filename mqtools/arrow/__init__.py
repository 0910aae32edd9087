"""Queues and journals as Arrow batches, and the planning of such reads."""

try:
    from mqtools.arrow.queue_reader import read as read
except ModuleNotFoundError as error:
    if (error.name or "").startswith("mqtools"):
        raise
    raise ModuleNotFoundError(f"mqtools.arrow requires {error.name}: pip install 'mqtools[arrow]'") from error
