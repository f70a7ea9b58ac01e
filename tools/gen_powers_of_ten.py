"""gen_powers_of_ten.py: writes src/json/powers_of_ten.def, the 128-bit powers of ten of the shortest doubles.

    tools/gen_powers_of_ten.py [--check]

Row k is 10^k, scaled by a power of two into [2^127, 2^128) and rounded up: exact integers, no floating point.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATH = ROOT / "src/json/powers_of_ten.def"
FIRST, LAST = -292, 324  # 10^-k for every k that a double needs

HEAD = """\
// powers_of_ten.def: 10^k for k = -292 to 324, in 128 bits: LANNER_POWER(high 64 bits, low 64 bits)
//
// Scaled by a power of two into [2^127, 2^128), rounded up. Written by tools/gen_powers_of_ten.py.

// clang-format off
"""


def scaled(exponent: int) -> int:
    if exponent >= 0:
        power: int = 10**exponent
        shift = 128 - power.bit_length()
        return power << shift if shift >= 0 else -(-power >> -shift)
    divisor: int = 10**-exponent
    shift = 127 + divisor.bit_length()
    quotient = -(-(1 << shift) // divisor)
    if quotient >> 128:
        quotient = -(-(1 << (shift - 1)) // divisor)
    return quotient


def text() -> str:
    rows = []
    for exponent in range(FIRST, LAST + 1):
        power = scaled(exponent)
        if power.bit_length() != 128:
            raise ValueError(f"10^{exponent} is not normalized")
        rows.append(f"LANNER_POWER(0x{power >> 64:016x}, 0x{power & (1 << 64) - 1:016x})")
    lines = [" ".join(rows[i : i + 2]) for i in range(0, len(rows), 2)]
    return HEAD + "\n".join(lines) + "\n// clang-format on\n"


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        if PATH.read_text("utf-8") != text():
            print(f"{PATH.relative_to(ROOT)} is not what tools/gen_powers_of_ten.py writes", file=sys.stderr)
            return 1
        return 0
    PATH.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
