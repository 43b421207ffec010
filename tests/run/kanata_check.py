"""Reads a log of Kanata 0004 by its documented grammar and says what is wrong.

    kanata_check.py FILE    prints sums as NAME VALUE; 1 if the log is bad
"""
import re
import sys

STAGES = {
    "0": re.compile(r"F|D|Is|Oc|X[a-z0-9]+|Wb"),
    "stall": re.compile(r"[a-z][a-z0-9_]*"),
    "mem": re.compile(r"Q|Ls|Sh|Wd|l1_port|lsu_pending|lsu_coherence"),
}
REQUEST = re.compile(r"[A-WYZa-z0-9]+")  # no X: arrows are drawn there
FIELDS = {"C=": 1, "C": 1, "I": 3, "L": 3, "S": 3, "E": 3, "R": 3, "W": 3}


class Inst:
    def __init__(self):
        self.open = {}
        self.stages = []
        self.seen_x = False
        self.left = ""


def main(path):
    live, retired, flushed, cycle = {}, 0, 0, 0
    ids = arrows = 0
    stalls, stages = {}, {}
    ended = set()

    def bad(text):
        sys.exit("%s:%d: %s" % (path, number, text))

    def close(inst, lane):
        name, since = inst.open.pop(lane)
        table = stalls if lane == "stall" else stages
        table[name] = table.get(name, 0) + cycle - since

    with open(path) as f:
        for number, line in enumerate(f, 1):
            fields = line.rstrip("\n").split("\t")
            if number == 1:
                if fields != ["Kanata", "0004"]:
                    bad("not a log of Kanata 0004")
                continue
            word, args = fields[0], fields[1:]
            if FIELDS.get(word) != len(args):
                bad("%s with %d fields" % (word, len(args)))
            if word == "C=":
                if number != 2:
                    bad("C= is not the second line")
                continue
            if word == "C":
                if int(args[0]) < 1:
                    bad("time does not go on")
                cycle += int(args[0])
                continue
            i = int(args[0])
            if word == "I":
                if i != ids:
                    bad("id %d, not %d" % (i, ids))
                ids += 1
                live[i] = Inst()
                continue
            if i not in live:
                bad("%s of %d, which %s" % (word, i, "has ended"
                                            if i < ids else "is not there"))
            inst = live[i]
            if word == "L":
                if args[1] not in ("0", "1", "2"):
                    bad("label of type " + args[1])
                if args[1] == "0":
                    inst.left += args[2]
                if args[1] == "2" and not inst.stages:
                    bad("label of a stage before the first")
            elif word == "S":
                lane, name = args[1:]
                if lane in inst.open:
                    close(inst, lane)
                rule = STAGES.get(lane)
                if rule is None and not re.fullmatch(r"t[0-3]", lane):
                    bad("lane '%s'" % lane)
                if not (rule or REQUEST).fullmatch(name):
                    bad("stage '%s' in lane '%s'" % (name, lane))
                if lane == "0" and name[0] == "X":
                    if inst.seen_x:
                        bad("a second X stage")
                    inst.seen_x = True
                inst.open[lane] = (name, cycle)
                inst.stages.append(name)
            elif word == "E":
                if inst.open.get(args[1], ("", 0))[0] != args[2]:
                    bad("end of '%s', which is not open" % args[2])
                close(inst, args[1])
            elif word == "W":
                arrows += 1
                if int(args[1]) >= ids or int(args[1]) == i:
                    bad("an arrow from %s" % args[1])
            elif word == "R":
                if int(args[1]) != retired:
                    bad("retire id %s, not %d" % (args[1], retired))
                if args[2] not in ("0", "1"):
                    bad("retired as " + args[2])
                retired += args[2] == "0"
                flushed += args[2] == "1"
                for lane in list(inst.open):
                    close(inst, lane)
                if not inst.left:
                    bad("an instruction without text")
                ended.add(i)
                del live[i]
    if live:
        sys.exit("%s: %d instructions never end" % (path, len(live)))
    print("insts", ids)
    print("retired", retired)
    print("flushed", flushed)
    print("arrows", arrows)
    print("cycles", cycle)
    for name in sorted(stalls):
        print("stall." + name, stalls[name])
    for name in sorted(stages):
        print("stage." + name, stages[name])


if __name__ == "__main__":
    main(sys.argv[1])
