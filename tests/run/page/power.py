#!/usr/bin/env python3
"""power.py PAGE - is the power over time of each side of a comparison of one
workload its energy?"""
import json
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
series = [json.loads(d) for d in re.findall(
    r'<script type="application/json">(.*?)</script>', page, re.S)]
series = [s for s in series if s["at"] == "\u00b5s"]
assert len(series) == 1, len(series)
series = series[0]
table = page.split(">Every workload on every side<")[1].split("</table>")[0]
heads = [re.sub("<.*?>", "", h) for h in re.findall(r"<th.*?</th>", table, re.S)]
energy = next(i for i, h in enumerate(heads) if h.strip().startswith("energy"))
for row in re.findall(r"<tr.*?</tr>", table.split("<tbody>")[1], re.S):
    cells = re.findall(r"<t[dh](.*?)>(.*?)</t[dh]>", row, re.S)
    watts = series["y"][series["names"].index(cells[1][1])]
    step = (series["x"][1] - series["x"][0]) * 1e-6
    want = float(re.search(r'data-v="(.*?)"', cells[energy][0]).group(1)) * 1e-3
    # The last bin may be a shorter one.
    known = [w for w in watts if w is not None]
    most = sum(known) * step
    least = most - known[-1] * step
    assert least * 0.999 <= want <= most * 1.001, (cells[1][1], least, want, most)
print("the same energy")
