# Writes the templates DIR/*.sass as C arrays to OUT. The bytes go through
# hexadecimal: CMake lists would lose semicolons.
file(GLOB files ${DIR}/*.sass)
set(arrays "")
set(rows "")
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes
        "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const char text_${name}[] = {\n${bytes}0x00};\n")
    string(APPEND rows "    {\"${name}\", text_${name}},\n")
endforeach()
file(WRITE ${OUT}.new "/* made by cmake/probes_embed.cmake */
#include \"probe/template.h\"

${arrays}
const probe_asset probe_assets[] = {
${rows}    {0, 0},
};
")
file(RENAME ${OUT}.new ${OUT})
