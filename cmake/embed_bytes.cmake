# Writes FILE as the C array NAME to OUT.
file(READ ${FILE} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes
    "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT}.new "/* made by cmake/embed_bytes.cmake */
extern const unsigned char ${NAME}[];
const unsigned char ${NAME}[] = {
${bytes}};
")
file(RENAME ${OUT}.new ${OUT})
