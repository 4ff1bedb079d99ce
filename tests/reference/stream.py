"""The core's random numbers: a pure function of a key and a counter, so a chain can be followed draw by draw.

SplitMix64 (Steele, Lea and Flood 2014), read at any place of its stream.
"""

from __future__ import annotations

GAMMA = 0x9E3779B97F4A7C15
START = 0x706C616974000001
MASK = 2**64 - 1


def mix(z: int) -> int:
    """The finaliser: every bit of the input flips half of the output."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def state(key: list[int]) -> int:
    """Where the stream of a key starts."""
    result = START
    for part in key:
        result = mix((mix((result + GAMMA) & MASK) + part) & MASK)
    return result


def bits(key: list[int], n: int) -> int:
    """The n-th number of the stream: 64 uniform bits."""
    return mix((state(key) + (n + 1) * GAMMA) & MASK)


def unit(key: list[int], n: int) -> float:
    """The n-th number as a uniform real in [0, 1) with 24 bits."""
    return (bits(key, n) >> 40) / 2**24


def below(key: list[int], n: int, bound: int) -> int:
    """The n-th number as a uniform whole number below `bound`."""
    return bits(key, n) * bound >> 64
