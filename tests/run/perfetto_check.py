"""Reads a trace for Perfetto, protobuf by its encoding alone, and says what is
wrong with its structure.

    perfetto_check.py FILE    prints sums as NAME VALUE; 1 if the trace is bad
"""
import struct
import sys

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def message(data):
    """The fields of a message: lists by number."""
    fields, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size, "a field is cut off"
        else:
            raise AssertionError("wire type %d" % kind)
        fields.setdefault(key >> 3, []).append(value)
    assert at == len(data), "a message is cut off"
    return fields


def main(path):
    data = open(path, "rb").read()
    tracks, parents, counters = {}, {}, set()
    names, note_names, texts = {}, {}, {}
    stack, last, values = {}, {}, {}
    sums = {}
    cleared = set()
    at = packets = 0

    def add(name, n=1):
        sums[name] = sums.get(name, 0) + n

    while at < len(data):
        key, at = varint(data, at)
        assert key == 1 << 3 | 2, "not a packet"
        size, at = varint(data, at)
        packet = message(data[at:at + size])
        at += size
        packets += 1
        sequence = packet[10][0]
        flags = packet.get(13, [0])[0]
        if flags & 1:
            assert sequence not in cleared, "cleared twice"
            cleared.add(sequence)
        if flags & 2:
            assert sequence in cleared, "interned texts before a clear start"
        for interned in packet.get(12, []):
            for field, table in ((2, names), (3, note_names), (29, texts)):
                for one in message(interned).get(field, []):
                    one = message(one)
                    assert one[1][0] not in table, "interned twice"
                    table[one[1][0]] = one[2][0].decode()
        for track in packet.get(60, []):
            track = message(track)
            uuid = track[1][0]
            assert uuid not in tracks, "track %d twice" % uuid
            tracks[uuid] = track[2][0].decode()
            parents[uuid] = track.get(5, [0])[0]
            assert not parents[uuid] or parents[uuid] in tracks
            if 8 in track:
                counters.add(uuid)
        for event in packet.get(11, []):
            event = message(event)
            when, kind, uuid = packet[8][0], event[9][0], event[11][0]
            assert uuid in tracks, "event on unknown track %d" % uuid
            assert when >= last.get(sequence, 0), "time runs backwards"
            last[sequence] = when
            parent = tracks.get(parents[uuid], "")
            if kind == BEGIN:
                name = names[event[10][0]]
                for note in event.get(4, []):
                    note = message(note)
                    assert note[1][0] in note_names
                    assert 17 not in note or note[17][0] in texts
                stack.setdefault(uuid, []).append((name, when))
                if parent == "schedulers":
                    add("issued")
                if parent == "memory" and tracks[uuid].startswith("request") \
                        and len(stack[uuid]) == 1:
                    add("requests")
            elif kind == END:
                assert stack.get(uuid), "an end without a begin"
                name, since = stack[uuid].pop()
                if parent == "warps" and len(stack[uuid]) == 2:
                    add("wait." + name, when - since)
                if tracks[uuid] == "cluster":
                    add("cluster." + name, when - since)
            elif kind == COUNTER:
                assert uuid in counters, "a value of no counter"
                value = event.get(30) or [struct.unpack(
                    "<d", event[44][0])[0]]
                assert value[0] >= 0 and value[0] < 1 << 40
                values[uuid] = value[0]
                add("values")
            else:
                raise AssertionError("event of type %d" % kind)
    for uuid, open_slices in stack.items():
        assert not open_slices, "track '%s' ends inside of '%s'" % (
            tracks[uuid], open_slices[-1][0])
    print("packets", packets)
    print("tracks", len(tracks))
    for name in sorted(sums):
        print(name, sums[name])


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (AssertionError, KeyError, IndexError) as e:
        sys.exit("%s: %s %s" % (sys.argv[1], type(e).__name__, e))
