"""Slow, obviously right twins of the core's algorithms.

Each function is the equation it cites, over Python lists, dictionaries and counters, with counts taken from
scratch wherever that is bearable. The tests judge the core by these twins, and the twins by laws, by
hand-computed values and by brute-force enumeration.
"""
