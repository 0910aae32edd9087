"""Widths of text in cells of a terminal: wrap, cut and pad."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size


def wrap_lines(lines: list[str], width: int, *, at_words: bool = False) -> list[str]:
    """Wrap lines to a width in cells. at_words: between words, where possible."""
    cut: list[str] = []
    for line in lines:
        rest = line
        indent = " " * min(width // 2, len(line) - len(line.lstrip(" "))) if at_words else ""
        while len(rest) > width or (not rest.isascii() and cell_len(rest) > width):
            piece = rest[:width] if rest[:width].isascii() else fit_text(rest[: width + 1], width)
            blank = piece.rstrip(" ").rfind(" ") if at_words else -1
            if blank > len(indent) and " " not in (piece[-1], rest[len(piece) : len(piece) + 1]):
                piece = piece[: blank + 1]
            cut.append(piece)
            rest = rest[max(1, len(piece)) :]
            rest = indent + rest.lstrip(" ") if at_words else rest
        cut.append(rest)
    return cut


def fit_text(text: str, width: int) -> str:
    """Return the beginning of a text that fits into a number of cells."""
    text = text[: 2 * width]  # a character has two cells at most, and hardly one in two has none
    while cell_len(text) > width:
        text = text[:-1]
    return text


def format_cell(text: str, width: int, *, right: bool = False) -> str:
    """Return a text cut or padded to a number of cells."""
    if right and cell_len(text) < width:
        return " " * (width - cell_len(text)) + text
    return set_cell_size(text, width)
