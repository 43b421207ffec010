#!/bin/sh
# tests/run/command.sh - help, lists, configurations, formats, assembler.
. "$(dirname "$0")/../lib.sh"
need_heddle
gen sgemm 64
launch=$tmp/sgemm/launch.yaml
ptx=$root/workloads/sgemm/ptx/nvcc13.ptx

pipe() { sh -c "$1"; }

# Help and lists.
expect "help" 0 'run' 'compile' 'config' -- "$heddle" help
expect "help of a command" 0 '--launch' -- "$heddle" help run
expect "version" 0 '[0-9]\.[0-9]' -- "$heddle" --version
expect "the GPUs" 0 'gtx480' 'k20' 'v100' 'a100' 'h100' 'h200' -- "$heddle" list gpus
expect "the counters" 0 'issue' -- "$heddle" list stats

# Configurations: every preset is whole, and its dump reads back the same.
for gpu in gtx480 k20 v100 a100 h100 h200; do
    expect "$gpu is right" 0 -- "$heddle" config check $gpu
    "$heddle" config show --canonical $gpu >"$tmp/$gpu.yaml" 2>/dev/null
    expect "$gpu reads back the same" 0 -- pipe \
        "'$heddle' config show --canonical '$tmp/$gpu.yaml' |
            cmp - '$tmp/$gpu.yaml'"
done
expect "the difference of two" 0 'gpu.sms' -- "$heddle" config diff k20 v100
expect "why a value is what it is" 0 'gpu.sms' '80' -- \
    "$heddle" config explain gpu.sms --gpu v100
printf 'extends: v100\nl1:\n  wayz: 4\n' >"$tmp/bad.yaml"
expect "a mistyped key, with its place" 3 'bad.yaml:3:3: error' 'ways' -- \
    "$heddle" config check "$tmp/bad.yaml"
printf 'extends: v100\nl1:\n  ways: 4\n  ways: 8\n' >"$tmp/bad.yaml"
expect "a repeated key" 3 'bad.yaml:4:3: error' -- \
    "$heddle" config check "$tmp/bad.yaml"
printf 'extends: nothing\n' >"$tmp/bad.yaml"
expect "an unknown base" 3 'bad.yaml:1:' 'nothing' -- \
    "$heddle" config check "$tmp/bad.yaml"

# Formats.
wide() { "$heddle" run --launch "$launch" --gpu v100 2>/dev/null |
    awk 'length > 100 { print; bad = 1 } END { exit bad }'; }
expect "the table fits 100 columns" 0 -- wide
expect "it says what matters" 0 'cycles' 'IPC' 'ccupancy' '%' -- \
    "$heddle" run --launch "$launch" --gpu v100
expect "JSON is one object" 0 -- pipe \
    "'$heddle' run --launch '$launch' --gpu v100 --format json | jq -es length"
# Of the process: the launches take most of it. With two threads it is that of
# both.
expect "CPU time of the launches" 0 -- pipe \
    "'$heddle' run --launch '$launch' --gpu v100 --format json --threads 2 |
        jq -e '(.launches | map(.warp_insts) | add) as \$n | .host
            | .cpu_s > 0 and .cpu_s < 3 * .seconds + 0.1 and
              (\$n / .cpu_s / .warp_insts_per_cpu_s - 1 | fabs) < 1e-6'"
# Threads gain, but never more than their number or than the longest nodes allow.
expect "windows are told" 0 '^windows: [0-9,]* of [0-9]* cycles' \
    '^ *threads  *predicted' '^ *16 ' 'mostly the longest: ' -- \
    "$heddle" run --launch "$launch" --gpu v100 --window-profile
expect "windows in JSON add up" 0 -- pipe \
    "'$heddle' run --launch '$launch' --gpu v100 --window-profile \
        --format json | jq -e '.host.cpu_s as \$cpu | .host.windows
        | .count > 0 and .cycles > .count and .runs == ([.nodes[].runs] | add)
          and (.nodes | length) == 112
          and ([.nodes[].longest] | add) <= .count
          and .longest_s <= .nodes_s and .longest_s > 0
          and (([.parts_s[]] | add) + .nodes_s - .predicted[0].s | fabs) < 1e-6
          and .predicted[0].s < \$cpu
          and ([.predicted[].threads] == [1, 2, 4, 8, 16, 32])
          and all(.predicted[]; .speedup <= .threads + 1e-9)'"
expect "with and without the same bits" 0 -- pipe \
    "a=\$('$heddle' run --launch '$launch' --gpu v100 --hash | grep ^hash)
     b=\$('$heddle' run --launch '$launch' --gpu v100 --hash --window-profile |
         grep ^hash)
     [ \"\$a\" = \"\$b\" ] && [ -n \"\$a\" ]"
expect "windows are those of one thread" 2 'does not go with --threads' -- \
    "$heddle" run --launch "$launch" --window-profile --threads 2
expect "computed only there are none" 2 'does not go with --functional' -- \
    "$heddle" run --launch "$launch" --window-profile --functional
expect "CSV has one width" 0 -- pipe \
    "'$heddle' run --launch '$launch' --gpu v100 --format csv |
        awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }'"
expect "nothing but results on stdout" 0 -- pipe \
    "'$heddle' run --launch '$launch' --gpu v100 --format json 2>/dev/null |
        jq -e . >/dev/null"

# Compiler and assembler.
expect "machine code with its resources" 0 'FFMA' 'register' -- \
    "$heddle" compile "$ptx" --gpu v100 --list
for gpu in gtx480 k20 v100 a100 h100 h200; do
    "$heddle" compile "$ptx" --gpu $gpu -o "$tmp/$gpu.sass" >/dev/null 2>&1
    expect "compiled for $gpu it runs the same" 0 -- \
        "$heddle" run "$tmp/$gpu.sass" --launch "$launch" --gpu $gpu
    "$heddle" asm "$tmp/$gpu.sass" -o "$tmp/$gpu.bin" >/dev/null 2>&1
    "$heddle" disasm "$tmp/$gpu.bin" >"$tmp/$gpu.again" 2>/dev/null
    expect "$gpu code survives asm and disasm" 0 -- pipe \
        "[ -s '$tmp/$gpu.again' ] && '$heddle' asm '$tmp/$gpu.again' \
            -o '$tmp/$gpu.bin2' && cmp '$tmp/$gpu.bin' '$tmp/$gpu.bin2'"
done
cat >"$tmp/two.ptx" <<'END'
.version 6.0
.target sm_70
.address_size 64
.extern .func missing;
.entry good() { ret; }
.entry bad() { call missing; ret; }
END
expect "one kernel of a program" 0 'kernel good' -- \
    "$heddle" compile "$tmp/two.ptx" --kernel good
expect "the other, which cannot be compiled" 4 'two.ptx:6:[0-9]*: error' -- \
    "$heddle" compile "$tmp/two.ptx" --kernel bad --kernel good
expect "a kernel that is not there" 4 "no kernel 'ugly'.*: sgemm" -- \
    "$heddle" compile "$ptx" --kernel ugly
printf '.kernel k\n    FADDX R0, R1, R2;\n    EXIT;\n    FOO;\n' >"$tmp/b.sass"
expect "all errors of an assembly, with their places" 4 \
    'b.sass:2:[0-9]*: error' 'b.sass:4:[0-9]*: error' '\^' -- \
    "$heddle" asm "$tmp/b.sass" -o "$tmp/b.bin"
for shell in bash zsh fish; do
    expect "completion for $shell" 0 'max-cycles' -- \
        "$heddle" completion $shell
done
expect "the completion for bash is bash" 0 -- pipe \
    "'$heddle' completion bash | bash -n"
finish
