# Writes FILES, PTX of src/ROOM, as C arrays to OUT, with the variables by which
# the room knows them: ROOM_ptx_FILE.
file(WRITE ${OUT}.new "/* made by cmake/embed_ptx.cmake */
#include \"cuda_library/code.h\"
")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${ROOM}_ptx_${name} name)
    file(READ ${file} text HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" text
        "${text}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text "${text}")
    file(APPEND ${OUT}.new "
static const char ${name}_text[] = {
${text}0x00};
extern library_code ${name};
library_code ${name} = {.ptx = ${name}_text};
")
endforeach()
file(RENAME ${OUT}.new ${OUT})
