"""What the applications of the three frameworks have in common: contents, and the digest of a stream."""

import gzip
import hashlib

LINES = [f"line {i} caf\xe9\n" for i in range(10)]
ZIPPED = gzip.compress(b"compressed by the application\n" * 100, mtime=0)
PIECE_BYTES = 65_536


def digest(read):
    """{"size", "sha256"} of a file by its read(size), without holding it in memory."""
    sha, size = hashlib.sha256(), 0
    while piece := read(PIECE_BYTES):
        sha.update(piece)
        size += len(piece)
    return {"size": size, "sha256": sha.hexdigest()}
