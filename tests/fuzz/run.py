"""Coverage-guided fuzzing of every parser: ``python tests/fuzz/run.py [--seconds 60] [TARGET...]``.

Needs the package atheris; hypothesis tries the same parsers in ``make test``, and more of them in ``make fuzz``.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def fuzz_one(name: str, seconds: int, corpus: str) -> None:
    """Fuzz one parser in this process; ends the process."""
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=["mqtools"]):
        import targets

    for number, seed in enumerate(targets.seeds(name)):
        Path(corpus, f"seed-{number}").write_bytes(seed)
    options = [f"-max_total_time={seconds}", "-max_len=4096", "-timeout=10", "-verbosity=0", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, corpus], lambda data: targets.run_target(name, data))
    atheris.Fuzz()


def main() -> int:
    """Fuzz each parser in a process of its own; return 1 if one has a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", nargs="*")
    parser.add_argument("--seconds", type=int, default=30, help="for each parser")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed: hypothesis alone has tried the parsers", file=sys.stderr)
        return 0
    if given.here:
        fuzz_one(given.target[0], given.seconds, given.here)
    from targets import TARGETS

    failed = []
    for name in given.target or TARGETS:
        with tempfile.TemporaryDirectory() as corpus:
            line = [sys.executable, __file__, name, "--seconds", str(given.seconds), "--here", corpus]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
        runs = next((text.split()[-1] for text in done.stderr.splitlines() if "number_of_executed_units" in text), "?")
        print(f"{name}: {runs} inputs, {'fault' if done.returncode else 'no fault'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout[-3000:], done.stderr[-3000:], sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
