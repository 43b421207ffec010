"""tracez_write.py TRACEG TRACEZ [DICTIONARY] - makes Accel-Sim's container of a
grouped trace, as its reader describes it, with zstd of the command line."""
import re
import struct
import subprocess
import sys

PIECE = 7  # lines


def packed(text, dictionary):
    command = ["zstd", "-qc", "--no-check", "--content-size",
               "--stream-size=%d" % len(text)]
    if dictionary:
        command += ["-D", dictionary]
    return subprocess.run(command, input=text, capture_output=True,
                          check=True).stdout


def main(source, target, dictionary=None):
    header, body = open(source).read().split("#BEGIN_TB", 1)
    words = open(dictionary, "rb").read() if dictionary else b""
    out = open(target, "wb")
    out.write(header.encode() + b"\0" + struct.pack("<II", len(words), 256) + words)
    ctas = []
    for cta in ("#BEGIN_TB" + body).split("#END_TB")[:-1]:
        number = [int(x) for x in re.search(r"thread block = (\d+),(\d+),(\d+)", cta).groups()]
        warps = []
        for warp in re.split(r"warp = \d+\n", cta)[1:]:
            lines = [line for line in warp.split("\n")[1:] if line]
            pieces = [lines[i:i + PIECE] for i in range(0, len(lines), PIECE)]
            warps.append((len(lines), [len(p) for p in pieces], out.tell()))
            out.write(struct.pack("<II", len(lines), len(pieces)))
            for piece in pieces:
                data = packed(("\n".join(piece) + "\n").encode(), dictionary)
                out.write(struct.pack("<I", len(data)) + data)
        ctas.append((number, warps))
    at = out.tell()
    out.write(struct.pack("<I", len(ctas)))
    for number, warps in ctas:
        out.write(struct.pack("<11I", *number, 0, 0, 0, 0, 0, 0, 0, len(warps)))
        for lines, pieces, where in warps:
            out.write(struct.pack("<IIQ", lines, len(pieces), where))
            out.write(struct.pack("<%dI" % len(pieces), *pieces))
    out.write(struct.pack("<Q", at))


main(*sys.argv[1:])
