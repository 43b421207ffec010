#include "cuda/memory/pages.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

#define FILE_NAME "heddle-memory"

int pages_new_file(size_t bytes)
{
    int file = memfd_create(FILE_NAME, MFD_CLOEXEC);

    if (file < 0 || ftruncate(file, (off_t)bytes) == 0)
        return file;
    close(file);
    return -1;
}

size_t pages_file_bytes(int file)
{
    static const char is[] = "/memfd:" FILE_NAME;
    char path[64], name[sizeof is];
    struct stat st;

    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    ssize_t length = readlink(path, name, sizeof name);
    if (length < (ssize_t)strlen(is) || memcmp(name, is, strlen(is)) != 0 ||
        fstat(file, &st) != 0)
        return 0;
    return (size_t)st.st_size;
}

bool pages_map_file(int file, uint64_t at, size_t bytes)
{
    void *is = mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, file, 0);

    return is != MAP_FAILED;
}

void pages_restore(uint64_t at, size_t bytes)
{
    void *is =
        mmap((void *)(uintptr_t)at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);

    MUST(is != MAP_FAILED);
    madvise(is, bytes, MADV_DONTDUMP);
}
