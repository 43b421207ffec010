# Writes DIR/prelude.cl, with the files that it includes, as a C array to OUT.
# The bytes go through hexadecimal: CMake lists would lose semicolons.
function(embed file out)
    file(READ ${DIR}/${file} text HEX)
    set(${out} "${text}" PARENT_SCOPE)
endfunction()
embed(prelude.cl whole)
file(GLOB parts RELATIVE ${DIR} ${DIR}/*.cl)
foreach(part IN LISTS parts)
    string(HEX "#include \"${part}\"" line)
    embed(${part} text)
    string(REPLACE "${line}" "${text}" whole "${whole}")
endforeach()
string(REGEX REPLACE "(................................)" "\\1\n" whole
    "${whole}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," whole "${whole}")
file(WRITE ${OUT}.new "/* made by cmake/embed.cmake */
#include \"opencl/prelude.h\"

const char opencl_prelude[] = {
${whole}0x00};
const size_t opencl_prelude_size = sizeof opencl_prelude - 1;
")
file(RENAME ${OUT}.new ${OUT})
