"""Words that messages to people have in common: numbers with their nouns, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

#: Longer words are not compared with known ones: they are no misspellings, and it would be slow.
_LONGEST_GUESS = 64


def counted(number: int, noun: str = "message", several: str = "", *, in_groups: bool = False) -> str:
    """Write a number with its noun.

    several: the noun of more than one, where it is not made with an s.  in_groups: with blanks between its thousands.
    """
    digits = grouped(number) if in_groups else str(number)
    return f"{digits} {noun if number == 1 else several or noun + 's'}"


def grouped(number: int) -> str:
    """Write a number with blanks between its thousands, to be read and not to be copied."""
    return f"{number:,}".replace(",", " ")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant, or None where nothing is near.

    Compares constants without their family prefix: all of MQRC_ would be near each other. Ignores case.
    """
    if len(word) > _LONGEST_GUESS:
        return None
    from difflib import SequenceMatcher, get_close_matches

    family = word[: word.find("_") + 1] if word.startswith("MQ") else ""
    names = {name.removeprefix(family).casefold(): name for name in known if name.startswith(family)}
    typed = word.removeprefix(family).casefold()
    near = get_close_matches(typed, names)

    def likeness(name: str) -> tuple[float, bool, int]:
        """Return the rank of equally near words: one of the same letters first, then the shortest."""
        return SequenceMatcher(None, name, typed).ratio(), sorted(name) == sorted(typed), -len(name)

    return names[max(near, key=likeness)] if near else None


def did_you_mean(word: str | None) -> str | None:
    """Return the suggestion of a word, None without one."""
    return f"did you mean {word}?" if word else None
