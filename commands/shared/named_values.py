"""Values of options that are names of constants, or numbers."""

from __future__ import annotations

from collections.abc import Iterable

from mqtools.constants import names
from mqtools.formats.phrases import did_you_mean, nearest


def named_value(family: str, text: str, meant: str | None = None) -> int:
    """Return the value of a constant of a family, or a number.

    meant: the constant of the text, where that has another name. Raise ValueError with the text as it was typed
    and a similar name.
    """
    try:
        return names.value_of(family, text if meant is None else meant)
    except ValueError:
        words = f"{text!r} is neither a number nor a name of {family}_"
        raise ValueError(with_suggestion(words, text, names.family(family))) from None


def with_suggestion(words: str, text: str, known: Iterable[str]) -> str:
    """Return an error text with the most similar known name, spelled in the way of the text."""
    if text.upper().startswith("MQ"):
        likely = nearest(text.upper(), known)
    else:
        likely = nearest(text, map(_as_word, known))
    return f"{words}; {did_you_mean(likely)}" if likely else words


def _as_word(name: str) -> str:
    """Return the option word for a constant: ``MQRO_COD_WITH_DATA`` is ``cod-data``."""
    word = name.partition("_")[2].lower().replace("_", "-")
    return word.replace("-with-full-data", "-full").replace("-with-data", "-data")
