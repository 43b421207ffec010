/* workloads/tool/npy.c - see npy.h. */
#include "tool/npy.h"

#include <stdio.h>
#include <string.h>

int npy_write(const char *path, const char *type, const void *data,
              size_t count, size_t item_bytes)
{
    char head[128];
    FILE *f = fopen(path, "wb");

    if (!f)
        return -1;
    /* magic, version, length of the rest; then a Python dict, padded with
     * spaces so that the data begins at a multiple of 64 */
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    int n = snprintf(head + 10, sizeof head - 10,
                     "{'descr': '%s', 'fortran_order': False, "
                     "'shape': (%zu,), }",
                     type, count);
    head[10 + n] = ' ';
    head[sizeof head - 1] = '\n';
    int bad = fwrite(head, sizeof head, 1, f) != 1 ||
              fwrite(data, item_bytes, count, f) != count;
    return fclose(f) || bad ? -1 : 0;
}
