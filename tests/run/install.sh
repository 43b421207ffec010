#!/bin/sh
# tests/run/install.sh - what `cmake --install` puts where.
. "$(dirname "$0")/../lib.sh"
need_heddle

expect "installs" 0 -- \
    cmake --install "$(dirname "$heddle")" --prefix "$tmp/usr"
expect "the command runs" 0 'v100' -- "$tmp/usr/bin/heddle" list gpus
for file in man/man1/heddle.1 bash-completion/completions/heddle \
    zsh/vendor-completions/_heddle fish/vendor_completions.d/heddle.fish \
    heddle/configs/v100.yaml heddle/probes/timed.sass doc/heddle/LICENSE; do
    expect "$file is there" 0 -- test -s "$tmp/usr/share/$file"
done
if [ -e "$(dirname "$heddle")/libheddle-opencl.so" ]; then
    expect "exec finds the driver" 0 'did not use OpenCL' -- \
        "$tmp/usr/bin/heddle" exec -q true
fi
expect "a preset is read from its file as from the command" 0 -- \
    sh -c "'$heddle' config show --canonical v100 >'$tmp/inside' &&
        '$heddle' config show --canonical \
            '$tmp/usr/share/heddle/configs/v100.yaml' | cmp - '$tmp/inside'"
finish
