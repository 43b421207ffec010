#!/bin/sh
# tests/tools/curves.sh - tools/curves: errors, what lies within the limits, pictures.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || {
    skip curves "needs python3"
    finish
}
cd "$tmp" || exit 1
tool=$root/tools/curves
cat >there.csv <<T
# published
curve,line,x,value,part,source
stream,read,50,100,flat,[GPUB:stream]
stream,read,100,200,flat,[GPUB:stream]
chase,,100,30,flat,[GPUB:latency]
chase,,200,60,edge,[GPUB:latency]
chase,,10000,60,flat,[GPUB:latency]
T
# 60 lies a fifth of the way from 50 to 100 as the logarithm goes: 0.263;
# 141.42 half of that from 100 to 200. Nothing is published at 20000.
cat >here.csv <<T
curve,line,x,value
stream,read,50,104
stream,read,60,126.303
stream,read,100,190
chase,,100,33
chase,,141.4214,48.15
chase,,20000,70
T
expect "tables" 0 '^| read  *|  *50 |  *104 |  *100 |  *+4.0 |' \
    '|  *60 |  *126.3 |  *126.3 |  *[-+]0.0 |' '|  *100 |  *190 |  *200 |  *-5.0 |' \
    '|  *100 |  *33 |  *30 |  *\*\*+10.0\*\* |' \
    '|  *141.4 |  *48.15 |  *45 |  *+7.0 | edge |' \
    '|  *20000 |  *70 |  *- |  *- |' \
    '^| stream  *|  *3 of 3 |  *- |  *3.0 |  *-5.0 |  *read 100 |' \
    '^| chase  *|  *0 of 1 |  *1 of 1 |  *8.5 |  *+10.0 |  *100 |' \
    '^| all  *|  *3 of 4 |  *1 of 1 |' -- "$tool" there.csv here.csv -o . --name own
for curve in stream chase; do
    expect "a picture of $curve" 0 '<svg .*Bandwidth\|<svg .*chase' \
        'prefers-color-scheme: dark' -- python3 -c "
import sys, xml.dom.minidom
print(xml.dom.minidom.parse('own-$curve.svg').documentElement.toxml())"
done
expect "published, as published" 0 '^| all .* 0.0 |' -- "$tool" \
    "$root/measurements/published/v100.csv" "$root/measurements/published/v100.csv"
expect "every device" 0 -- "$tool" "$root/measurements/published/h200.csv" here.csv
expect "no such file" 1 'cannot read none.csv: No such file' -- "$tool" there.csv none.csv
echo 'curve,x' >bad.csv
echo 'chase,ten' >>bad.csv
expect "another file" 1 'bad.csv: not curve,line,x,value' -- "$tool" there.csv bad.csv
finish
