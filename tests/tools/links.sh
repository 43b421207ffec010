#!/bin/sh
# tests/tools/links.sh - links between documents lead to files and headings that are
# there, or to pages that tools/figures makes.
. "$(dirname "$0")/../lib.sh"

made=$("$root/tools/figures" --list | sed 's| .*|.md|; s|^|./docs/results/|')

# links FOLDER: what is wrong with the documents in there
links() {
    (
        cd "$1" || exit 2
        find . -name '*.md' ! -path './build/*' ! -path './out/*' |
            sort >"$tmp/documents"
        [ -s "$tmp/documents" ] || exit 2
        xargs awk -v made="$(echo "$made" | tr '\n' ' ')" '
            BEGIN { n = split(made, page, " "); while (n) later[page[n--]] }
            # The anchor of a heading, as GitHub makes it.
            function anchor(s) {
                gsub(/`/, "", s)
                s = tolower(s)
                gsub(/[^a-z0-9 _-]/, "", s)
                gsub(/ /, "-", s)
                return s
            }
            FNR == 1 { code = 0 }
            /^```/ { code = !code }
            code { next }
            /^#+ / { s = $0; sub(/^#+ +/, "", s); heading[FILENAME "#" anchor(s)] }
            {
                line = $0
                while (match(line, /\]\([^)]*\)/)) {
                    to = substr(line, RSTART + 2, RLENGTH - 3)
                    line = substr(line, RSTART + RLENGTH)
                    if (to !~ /^[a-z]+:/)
                        link[++links] = FILENAME ":" FNR " " to
                }
            }
            # FOLDER/a/../b is FOLDER/b
            function normal(path) {
                while (sub(/[^\/]+\/\.\.\//, "", path))
                    ;
                return path
            }
            END {
                for (i = 1; i <= links; i++) {
                    split(link[i], part, " ")
                    at = part[1]
                    file = at
                    sub(/:[0-9]*$/, "", file)
                    n = split(part[2], place, "#")
                    path = file
                    if (place[1] != "") {
                        sub(/[^\/]*$/, "", path)
                        path = normal(path place[1])
                    }
                    if (path in later)
                        continue
                    if (system("test -e \"" path "\"")) {
                        print at ": no " path
                        bad = 1
                    } else if (n > 1 && path ~ /\.md$/ && !(path "#" place[2] in heading)) {
                        print at ": no heading #" place[2] " in " path
                        bad = 1
                    }
                }
                print links " links"
                exit bad
            }' <"$tmp/documents" || exit 1
    )
}

expect "documents of this repository" 0 '^[0-9]* links$' -- links "$root"
mkdir -p "$tmp/d/in"
printf '# A heading: of `two`\n[a](in/b.md#x-y) [b](#a-heading-of-two) [c](http://x)\n' \
    >"$tmp/d/a.md"
printf '## X y\n[up](../a.md#none)\n[gone](c.md)\n```\n[code](d.md)\n```\n' \
    >"$tmp/d/in/b.md"
expect "what leads nowhere is named" 1 '^./in/b.md:2: no heading #none in ./a.md$' \
    '^./in/b.md:3: no ./in/c.md$' '^4 links$' -- links "$tmp/d"
finish
