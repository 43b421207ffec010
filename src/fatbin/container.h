/* src/fatbin/container.h - containers of code as compilers write them, all
 * numbers little-endian.
 *
 * A wrapper, in the program's data:
 *   0  magic, 32 bits   4  version, 32   8  container   16  see below
 * Version 1 is one container. Version 2 is of a program that was compiled in
 * parts: the container holds what nvcc linked, which is machine code alone, and
 * at 16 is a list of the parts' containers, with NULL behind the last.
 *
 * A container is a header and, behind it, entries:
 *   0  magic, 32   4  version, 16   6  size of the header, 16
 *   8  bytes of all entries, 64
 * An entry is a header and, behind it, an image:
 *   0  kind, 16      2  version, 16      4  size of the header, 32
 *   8  bytes of the image as it is stored and padded, 64
 *  16  packed bytes, 32; 0: it is plain
 *  28  capability, 32   40  flags, 64   56  unpacked bytes, 64; 0: it is plain
 */
#ifndef FATBIN_CONTAINER_H
#define FATBIN_CONTAINER_H

enum {
    WRAPPER_MAGIC = 0x466243b1,
    WRAPPER_ONE = 1,
    WRAPPER_LINKED = 2,
    WRAPPER_SIZE = 24,

    CONTAINER_VERSION = 1,
    CONTAINER_HEADER = 16,

    ENTRY_HEADER = 64,
    ENTRY_PTX = 1,
    ENTRY_ELF = 2,

    FLAG_LZ4 = 0x2000, /* a block without a header */
    FLAG_ZSTD = 0x8000,
    FLAG_EXACT = 0x100000,  /* sm_90a: for that device alone */
    FLAG_FAMILY = 0x200000, /* sm_100f: for its family */
};
#define CONTAINER_MAGIC 0xba55ed50u

#endif
