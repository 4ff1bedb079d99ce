"""Writes a corpus of the demo's grammar: FOLDER PAIRS SEED. Run as a program of its own, see `measure`."""

import sys

from plait.demo import make

if __name__ == "__main__":
    make("en-de", int(sys.argv[2]), int(sys.argv[3])).write(sys.argv[1])
