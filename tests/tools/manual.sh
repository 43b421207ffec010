#!/bin/sh
# tests/tools/manual.sh - the HTML manual of tools/manual-html: every document has
# a page, no link within it is broken, and headings are called as on GitHub.
. "$(dirname "$0")/../lib.sh"
if ! command -v cmark-gfm >/dev/null; then
    skip manual "no cmark-gfm"
    finish
fi

# broken FOLDER: links of its pages, to pages and headings, that lead nowhere.
broken() {
    (cd "$1" && find . -name '*.html' | sed 's|^\./||' | sort |
        xargs awk '
        function resolve(page, link,    n, i, part, path, depth, out) {
            sub(/[^\/]*$/, "", page)
            n = split(page link, part, "/")
            for (i = 1; i <= n; i++)
                if (part[i] == "..") depth--
                else if (part[i] != "") path[++depth] = part[i]
            for (i = 1; i <= depth; i++)
                out = out (i > 1 ? "/" : "") path[i]
            return out
        }
        FNR == 1 { there[FILENAME] = 1 }
        {
            rest = $0
            while (match(rest, /(id|href|src)="[^"]*"/)) {
                item = substr(rest, RSTART, RLENGTH - 1)
                rest = substr(rest, RSTART + RLENGTH)
                what = item
                sub(/="/, "\n", item)
                sub(/.*\n/, "", item)
                if (what ~ /^id/) {
                    there[FILENAME "#" item] = 1
                } else if (item !~ /^(https?|mailto):/) {
                    if (item ~ /^#/)
                        links[FILENAME "\n" FILENAME item] = 1
                    else
                        links[FILENAME "\n" resolve(FILENAME, item)] = 1
                }
            }
        }
        END {
            for (key in links) {
                split(key, at, "\n")
                if (at[2] ~ /\.(css|png|svg)$/) {
                    if ((getline line <at[2]) < 0)
                        print at[1] ": no " at[2]
                    close(at[2])
                } else if (!(at[2] in there)) {
                    print at[1] ": no " at[2]
                }
                count++
            }
            print count " links"
        }')
}
unbroken() { broken "$1" >"$tmp/broken"; cat "$tmp/broken"; ! grep ': no ' "$tmp/broken"; }

# The checker finds what is broken.
mkdir -p "$tmp/wrong/sub"
echo '<a href="sub/b.html#there"> <a href="sub/b.html#gone"> <a href="c.html">' \
    >"$tmp/wrong/a.html"
echo '<h2 id="there"> <a href="../a.html"> <img src="d.png">' >"$tmp/wrong/sub/b.html"
expect "broken links are found" 1 '^a.html: no sub/b.html#gone$' \
    '^a.html: no c.html$' '^sub/b.html: no sub/d.png$' '^5 links$' -- \
    unbroken "$tmp/wrong"

# A small tree: the cases, without the time that all documents take.
tree=$tmp/tree
mkdir -p "$tree/tools" "$tree/cmake" "$tree/docs/more" "$tree/src"
cp "$root/tools/manual-html" "$tree/tools"
cp "$root/cmake/manual.css" "$tree/cmake"
echo 'int x;' >"$tree/src/x.c"
cat >"$tree/README.md" <<'END'
# One & `two`

[guide](docs/guide.md#a-b-c-1) [folder](docs/more) [file](src/x.c) <http://example.org>

`[not](docs/gone.md)`
END
cat >"$tree/docs/guide.md" <<'END'
# Guide

## A `b`, c?
## A b c
[up](../README.md) [down](more/deep.md)

| a | b |
|---|---|
| 1 | [here](#a-b-c) |
END
printf '# Deep\n\n[g](../guide.md) [r](../../README.md#one--two)\n\n```sh\n# <h1> no heading\n```\n' \
    >"$tree/docs/more/deep.md"
echo '# Changes' >"$tree/CHANGELOG.md"
echo '# Rules' >"$tree/CONTRIBUTING.md"
expect "is made" 0 -- "$tree/tools/manual-html" "$tmp/small"
expect "no link of it is broken" 0 ' links$' -- unbroken "$tmp/small"
expect "a heading of two words that are code" 0 '<h1 id="one--two">' \
    'href="guide.html#a-b-c-1"' 'href="contents.html#docs/more"' '>guide</a>' \
    ' file ' 'href="http://example.org"' '<code>\[not\](docs/gone.md)</code>' -- \
    cat "$tmp/small/index.html"
expect "two headings of one name" 0 '<h2 id="a-b-c">A <code>b' \
    '<h2 id="a-b-c-1">A b c' 'href="index.html">up' 'href="more/deep.html">' \
    '<div class="wide"><table>' -- cat "$tmp/small/guide.html"
expect "from a folder" 0 'href="../guide.html">' 'href="../index.html#one--two"' \
    'href="../manual.css"' -- cat "$tmp/small/more/deep.html"

# All of it, where it was built: a page for each document.
made=${HEDDLE_BUILD-$root/build/release}/manual
if [ -e "$made/index.html" ]; then
    expect "no link is broken" 0 '^[0-9][0-9][0-9]* links$' -- unbroken "$made"
    pages() {
        (cd "$root" && ls docs/*.md docs/*/*.md) | sed 's|^docs/||; s|md$|html|' |
            while read -r page; do
                [ -s "$made/$page" ] || echo "no $page"
            done | grep . && return 1
        return 0
    }
    expect "every document has a page" 0 -- pages
else
    skip "all documents" "manual_html is not built"
fi
finish
