/* src/base/version.c - what a program has that defines no commit. */
#include "base/version.h"

__attribute__((weak)) const char heddle_commit[] = "unknown";
__attribute__((weak)) const char version_text[] = HEDDLE_VERSION;
