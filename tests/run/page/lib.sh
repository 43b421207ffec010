# shellcheck shell=sh
# tests/run/page/lib.sh - sourced, after tests/lib.sh, by tests that write
# pages.
#   page_opens NAME PAGE...   one test: the pages are well formed and fetch
#       nothing, and a browser opens each on a phone, a tablet and a desk, light
#       and dark: no error, nothing that the policy refuses, no sideways
#       scrolling
#   page_used NAME PAGE...    likewise, and a reader sorts, saves, presses keys
#   page_code NAME PAGE...    likewise, and a reader goes through its code
#   page_timeline NAME PAGE...  likewise, and a reader zooms its timeline
# shellcheck disable=SC2154  # root and tmp are those of tests/lib.sh
pages=$root/tests/run/page

# shellcheck disable=SC2154
page_browser() {
    page_how=$1 page_name=$2 page_got=0
    shift 2
    expect "$page_name: well formed and alone" 0 -- \
        python3 "$pages/check.py" "$@"
    # Other builds write the same page, and a sanitizer sees no browser.
    ! sanitized || return 0
    python3 "$pages/browser.py" "$page_how" "$@" >"$tmp/browser" 2>&1 ||
        page_got=$?
    if [ "$page_got" = 77 ]; then
        skip "$page_name: in a browser" "$(tail -n 1 "$tmp/browser")"
        return 0
    fi
    expect "$page_name: in a browser" 0 ' 0 failed' -- \
        sh -c 'cat "$1"; exit "$2"' sh "$tmp/browser" "$page_got"
}

page_opens() { page_browser open "$@"; }
page_used() { page_browser use "$@"; }
page_code() { page_browser code "$@"; }
page_timeline() { page_browser timeline "$@"; }
