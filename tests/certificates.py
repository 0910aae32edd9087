"""Certificates for tests, made by openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def authority(folder: Path, name: str) -> None:
    openssl(
        folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}",
        "-keyout", f"{name}.key", "-out", f"{name}.pem",
    )  # fmt: skip


def certificate(folder: Path, name: str, signer: str) -> None:
    openssl(folder, "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/O=Ours/CN={name}", "-keyout",
            f"{name}.key", "-out", f"{name}.csr")  # fmt: skip
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{signer}.pem", "-CAkey", f"{signer}.key",
            "-CAcreateserial", "-days", "2", "-out", f"{name}.pem")  # fmt: skip
