/* tests/fuzz/replay.c - main of a harness without libFuzzer: runs it once on
 * every file of the folders that the arguments name. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static int replay(const char *folder, const char *name)
{
    char *path = NULL;
    static uint8_t data[1 << 20];
    FILE *f = NULL;
    int bad = 1;

    if (asprintf(&path, "%s/%s", folder, name) < 0 || !(f = fopen(path, "rb")))
        goto done;
    size_t size = fread(data, 1, sizeof data, f);

    /* an exact copy, so that a sanitizer sees reads behind the end */
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        goto done;
    for (size_t i = 0; i < size; i++)
        copy[i] = data[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    bad = 0;
done:
    if (f)
        fclose(f);
    if (bad)
        printf("FAIL %s/%s cannot be read\n", folder, name);
    free(path);
    return bad;
}

int main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0;

    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);

        for (struct dirent *e; d && (e = readdir(d));)
            if (e->d_name[0] != '.') {
                if (replay(argv[i], e->d_name))
                    failed++;
                else
                    passed++;
            }
        if (d)
            closedir(d);
    }
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed || passed == 0;
}
