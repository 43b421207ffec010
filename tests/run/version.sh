#!/bin/sh
# tests/run/version.sh - which Heddle made that? Version and commit are in
# --version, JSON of every command, pages and results files.
. "$(dirname "$0")/../lib.sh"
need_heddle
command -v jq >/dev/null || { skip version "no jq"; finish; }
cd "$tmp" || exit 1

# A commit of this tree, if it has its history: that which was built.
if git -C "$root" rev-parse HEAD >/dev/null 2>&1; then
    expect "--version names a commit" 0 \
        '^heddle [0-9]*\.[0-9]*\.[0-9]*+[0-9a-f]\{10\}\(-dirty\)\{0,1\} (' -- \
        "$heddle" --version
    named=$(sed 's/.*+\([0-9a-f]*\).*/\1/' "$out")
    expect "which git knows" 0 -- git -C "$root" cat-file -e "$named^{commit}"
else
    skip "--version names a commit" "no git history"
fi
version=$("$heddle" --version | sed 's/^heddle \([^ ]*\) .*/\1/')

# Every command that has --format says json with schema and heddle.
cat >k.sass <<'END'
.arch volta
.kernel k
    MOV R2, 0;
    EXIT;
.end
END
cat >l.yaml <<'END'
program: k.sass
launches: [{kernel: k, grid: [1, 1, 1], block: [32, 1, 1]}]
END
cat >s.yaml <<'END'
name: s
gpus: [v100]
axes: {sm.issue.scheduler: [lrr, gto]}
workloads: [{launch: l.yaml}]
END
cat >suite.yaml <<'END'
name: one
programs: [{name: nothing, run: "true"}]
END
cat >truth.yaml <<'END'
rows: [{name: one, launch: l.yaml, value: 1, source: nobody}]
END
"$heddle" run k.sass --store r.db -q >/dev/null
"$heddle" sweep s.yaml -q -o s.sweep >"$out" 2>&1
cat >commands <<'END'
run k.sass
explain --tries 0 k.sass
watch k.sass
exec -o - -- true
suite run suite.yaml
compare --with sm.issue.scheduler=lrr l.yaml
diff r.db r.db
cost v100
probe overhead
validate truth.yaml
sweep s.yaml -o s.sweep
sweep list s.yaml
sweep status s.sweep
sweep table s.sweep
results list r.db
results table r.db
results sql r.db select
results export r.db run -o -
END
case $version in
*+*) ;;
*) version=$version+unknown ;;
esac
while read -r words; do
    case $words in
    'results sql'*) set -- results sql -f json r.db 'select 1 as one' ;;
    exec*) set -- exec -f json -o - -- true ;;
    *)
        # shellcheck disable=SC2086  # words
        set -- $words -f json
        ;;
    esac
    "$heddle" "$@" >said 2>err </dev/null
    expect "JSON of heddle $words" 0 '^true$' -- jq '
        (keys_unsorted[:2] == ["schema", "heddle"]) and .schema == 1 and
        (.heddle | keys == ["commit", "version"]) and
        "\(.heddle.version)+\(.heddle.commit)" == "'"$version"'"' said
done <commands
expect "JSON lines are rows only" 0 '^false$' -- sh -c \
    "'$heddle' results list r.db -f jsonl | head -n 1 | jq 'has(\"schema\")'"

# No command with --format was forgotten above.
for command in $("$heddle" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$heddle" help "$command" | grep -q -- '--format' || continue
    expect "the JSON of $command was looked at" 0 -- \
        grep -q "^$command " commands
done

# Results files and pages.
version=$("$heddle" --version | sed 's/^heddle \([^ ]*\) .*/\1/')
expect "a results file says it" 0 -- sh -c "'$heddle' results sql r.db \
    'select version from run' -f csv | grep -qxF '$version'"
expect "a page says it" 0 -- sh -c "'$heddle' report r.db -o page.html &&
    sed 's/<script.*//' page.html | grep -qF 'Heddle' &&
    grep -qF 'content=\"heddle $version\"' page.html &&
    grep -oF '$version' page.html | wc -l | grep -qv '^1\$'"
expect "so does the manual" 0 "^\.Os Heddle $version\$" -- "$heddle" doc manual

# Without git history, and from an archive of git.
text() { cmake -D SOURCE="$1" -D OUT="$tmp/commit.c" \
    -P "$root/cmake/commit.cmake" && cat "$tmp/commit.c"; }
mkdir -p plain/cmake archive/cmake
cp "$root/cmake/commit.txt" plain/cmake
expect "a tree without history" 0 'heddle_commit\[\] = "unknown"' \
    'version_text\[\] = HEDDLE_VERSION "";' -- text "$tmp/plain"
echo 1a2b3c4d5e >archive/cmake/commit.txt
expect "an archive of git" 0 'heddle_commit\[\] = "1a2b3c4d5e"' -- \
    text "$tmp/archive"
if command -v git >/dev/null; then
    repo() {
        mkdir -p repo/cmake && cd repo && git init -q . &&
            cp "$root/.gitattributes" . &&
            cp "$root/cmake/commit.txt" cmake && git add -A &&
            git -c user.name=n -c user.email=e@x commit -qm one
    }
    (repo) >/dev/null
    expect "a repository" 0 '"[0-9a-f]\{10\}"' -- text "$tmp/repo"
    mkdir -p packed && git -C repo archive HEAD | tar -x -C packed
    expect "an archive says what its repository does" 0 -- \
        test "$(text "$tmp/packed")" = "$(text "$tmp/repo")"
    echo >>repo/cmake/commit.txt
    expect "a changed one" 0 '"[0-9a-f]\{10\}-dirty"' -- text "$tmp/repo"
    before=$(stat -c %Y.%i commit.c)
    sleep 1.1
    text "$tmp/repo" >/dev/null
    expect "the same commit touches nothing" 0 -- \
        test "$before" = "$(stat -c %Y.%i commit.c)"
fi
finish
