# Writes DIR/prelude.cl, with the files that it includes, and DIR/once.cl as C
# arrays to OUT. The bytes go through hexadecimal: CMake lists would lose
# semicolons.
function(embed file out)
    file(READ ${DIR}/${file} text HEX)
    set(${out} "${text}" PARENT_SCOPE)
endfunction()
function(bytes text out)
    string(REGEX REPLACE "(................................)" "\\1\n" text
        "${text}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()
embed(prelude.cl whole)
embed(once.cl once)
file(GLOB parts RELATIVE ${DIR} ${DIR}/*.cl)
list(REMOVE_ITEM parts prelude.cl once.cl)
list(APPEND parts once.cl) # others include it
foreach(part IN LISTS parts)
    string(HEX "#include \"${part}\"" line)
    embed(${part} text)
    string(REPLACE "${line}" "${text}" whole "${whole}")
endforeach()
bytes("${whole}" whole)
bytes("${once}" once)
file(WRITE ${OUT}.new "/* made by cmake/embed.cmake */
#include \"opencl/program/prelude.h\"

const char opencl_prelude[] = {
${whole}0x00};
const size_t opencl_prelude_size = sizeof opencl_prelude - 1;

const char opencl_prelude_once[] = {
${once}0x00};
")
file(RENAME ${OUT}.new ${OUT})
