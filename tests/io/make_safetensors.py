#!/usr/bin/python3
"""Writes reference.safetensors, which safetensors_test.cpp reads: every type that heed has and one
that it has not, with nothing but struct and json. Element i of each tensor is i - 2 (unsigned: i;
BOOL: whether i is odd). The one byte of "odd" at the beginning leaves all that follow unaligned.

    python3 tests/io/make_safetensors.py
"""

import json
import os
import struct

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.safetensors")


def bfloat16(x):
    return struct.unpack("<H", struct.pack("<f", x)[2:])[0]  # exact for small integers


# name, type, shape, format of an element, element i
TENSORS = [
    ("odd", "U8", [1], "B", lambda i: i),
    ("f32", "F32", [2, 3], "f", lambda i: i - 2),
    ("f64", "F64", [3], "d", lambda i: i - 2),
    ("f16", "F16", [1, 5, 1], "e", lambda i: i - 2),
    ("bf16", "BF16", [5], "H", lambda i: bfloat16(i - 2)),
    ("i64", "I64", [4], "q", lambda i: i - 2),
    ("i32", "I32", [2, 2], "i", lambda i: i - 2),
    ("i8", "I8", [3], "b", lambda i: i - 2),
    ("bool", "BOOL", [4], "B", lambda i: i % 2),
    ("scalar", "F32", [], "f", lambda i: 2.5),
    ("empty", "F32", [2, 0, 3], "f", lambda i: 0),
    ("u16", "U16", [2], "H", lambda i: i),
]


def main():
    header = {"__metadata__": {"format": "pt", "straße \" \\ \n": "東京"}}
    data = b""
    for name, dtype, shape, form, element in TENSORS:
        size = 1
        for n in shape:
            size *= n
        begin = len(data)
        data += struct.pack("<%d%s" % (size, form), *[element(i) for i in range(size)])
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(PATH, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
