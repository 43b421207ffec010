#!/usr/bin/env python3
"""pack.py NEW-JOE-KUO-6.21201 OUT - the first 20,000 dimensions of Joe and Kuo's
table, whose lines are `d s a m_1 ... m_s`, as bits: of each dimension from 2 on
s in 5, a in s - 1, and (m_i - 1) / 2 in i - 1 for each i from 2 to s. The lowest
bit comes first."""
import sys

DIMENSIONS = 20000
value = bits = 0
out = bytearray()


def put(number, width):
    global value, bits
    assert 0 <= number < 1 << width
    value |= number << bits
    bits += width
    while bits >= 8:
        out.append(value & 255)
        value >>= 8
        bits -= 8


with open(sys.argv[1]) as table:
    next(table)  # its heading
    for dimension in range(2, DIMENSIONS + 1):
        d, s, a, *m = map(int, next(table).split())
        assert d == dimension and len(m) == s and m[0] == 1
        put(s, 5)
        put(a, s - 1)
        for i in range(2, s + 1):
            assert m[i - 1] & 1
            put(m[i - 1] >> 1, i - 1)
put(0, 7)  # what is left
with open(sys.argv[2], "wb") as file:
    file.write(out)
