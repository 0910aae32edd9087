"""The mqx command."""


def main() -> int:
    return 0
