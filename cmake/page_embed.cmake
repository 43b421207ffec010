# Writes the files that pages carry, below ROOT, as C arrays with their SHA-256
# to OUT. The bytes go through hexadecimal: CMake lists would lose semicolons.
set(text "/* made by cmake/page_embed.cmake */
#include \"page/asset.h\"

const page_asset page_assets[PAGE_ASSETS] = {
")
set(arrays "")
function(asset id file)
    file(READ ${ROOT}/${file} bytes HEX)
    file(SHA256 ${ROOT}/${file} hash)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes
        "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(..)" "0x\\1," hash "${hash}")
    set(arrays "${arrays}static const char bytes_${id}[] = {\n${bytes}0x00};\n"
        PARENT_SCOPE)
    set(text "${text}    [${id}] = {bytes_${id}, sizeof bytes_${id} - 1,
        {${hash}}},\n" PARENT_SCOPE)
endfunction()
asset(PAGE_CSS src/page/page.css)
asset(PAGE_JS src/page/page.js)
asset(PAGE_PLOT_CSS third_party/uplot/uPlot.min.css)
asset(PAGE_PLOT_JS third_party/uplot/uPlot.iife.min.js)
asset(PAGE_FALLS_JS src/page/waterfall.js)
asset(PAGE_CODE_JS src/page/code.js)
asset(PAGE_LIVE_HTML src/page/live.html)
asset(PAGE_LIVE_CSS src/page/live.css)
asset(PAGE_LIVE_JS src/page/live.js)
asset(PAGE_TIMELINE_JS src/page/timeline.js)
string(FIND "${text}" "const page_asset" at)
string(SUBSTRING "${text}" 0 ${at} head)
string(SUBSTRING "${text}" ${at} -1 rows)
file(WRITE ${OUT}.new "${head}${arrays}\n${rows}};\n")
file(RENAME ${OUT}.new ${OUT})
