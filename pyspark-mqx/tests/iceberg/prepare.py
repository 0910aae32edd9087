"""Write a jar with Spark's Jackson under the names that Iceberg's jar expects: that of PyPI comes without it.

``python prepare.py FOLDER-OF-SPARKS-JARS NEW-JAR``
"""

from __future__ import annotations

import glob
import struct
import sys
import zipfile

OLD = "com/fasterxml/jackson"
NEW = f"org/apache/iceberg/shaded/{OLD}"
NAMES = [(text.encode(), new.encode()) for text, new in ((OLD, NEW), (OLD.replace("/", "."), NEW.replace("/", ".")))]
#: Length of an entry of a class file's constants by its tag; one of text (1) has its own.
SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
TEXT, LONGS = 1, (5, 6)


def renamed(data: bytes) -> bytes:
    """Return a class file with the new names in its constants."""
    (count,) = struct.unpack_from(">H", data, 8)
    made, at, number = [data[:10]], 10, 1
    while number < count:
        tag = data[at]
        size = struct.unpack_from(">H", data, at + 1)[0] + 2 if tag == TEXT else SIZES[tag]
        entry = data[at : at + 1 + size]
        if tag == TEXT:
            text = entry[3:]
            for old, new in NAMES:
                text = text.replace(old, new)
            entry = struct.pack(">BH", TEXT, len(text)) + text
        made.append(entry)
        at += 1 + size
        number += 2 if tag in LONGS else 1
    return b"".join(made) + data[at:]


def main(folder: str, jar: str) -> None:
    with zipfile.ZipFile(jar, "w") as made:
        for part in ("core", "databind", "annotations"):
            (found,) = glob.glob(f"{folder}/jackson-{part}-2*.jar")
            with zipfile.ZipFile(found) as old:
                for name in old.namelist():
                    if name.startswith(OLD) and name.endswith(".class"):
                        made.writestr(name.replace(OLD, NEW), renamed(old.read(name)))


if __name__ == "__main__":
    main(*sys.argv[1:])
