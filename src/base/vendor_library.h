/* src/base/vendor_library.h - libraries for CUDA programs that cannot run on
 * Heddle, as they ask the vendor's driver to prove itself, and have no
 * replacement. */
#ifndef BASE_VENDOR_LIBRARY_H
#define BASE_VENDOR_LIBRARY_H

/* The name by which people know the library in that file, NULL: it is none of
 * these. */
const char *vendor_library(const char *path);

#endif
