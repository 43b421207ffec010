/* tests/unit/base/test_hash.c - fixed points of XXH3, because hashes are
 * stored with results. */
#include "base/hash.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "test.h"

TEST(empty_input_hashes_as_published)
{
    CHECK_EQ(hash_bytes("", 0, 0), 0x2d06800538d394c2); /* xxHash 0.8 */
}

TEST(every_byte_and_the_seed_count)
{
    unsigned char data[300] = {0};
    uint64_t zero = hash_bytes(data, sizeof data, 0);

    CHECK(hash_bytes(data, sizeof data, 1) != zero);
    CHECK(hash_bytes(data, sizeof data - 1, 0) != zero);
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = 1;
        CHECK(hash_bytes(data, sizeof data, 0) != zero);
        data[i] = 0;
    }
}

enum { MAPPED = 64 << 20, PAGE = 4096 };

static long faults(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
}

TEST(sparse_memory_has_the_hash_of_its_bytes_and_stays_sparse)
{
    static const size_t touched[] = {0,        5 * PAGE + 7,      6 * PAGE,
                                     17 << 20, (17 << 20) + PAGE, MAPPED - 1};
    uint8_t *at = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint64_t sparse[3];
    long before;

    CHECK(at != MAP_FAILED);
    madvise(at, MAPPED, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < sizeof touched / sizeof *touched; i++)
        at[touched[i]] = (uint8_t)(i + 1);
    before = faults();
    sparse[0] = hash_sparse(at, MAPPED, 5);
    /* Neither end at a page's. */
    sparse[1] = hash_sparse(at + 3 * PAGE + 9, MAPPED - 4 * PAGE, 6);
    sparse[2] = hash_sparse(at + 100, 1000, 7);
    CHECK(faults() - before < MAPPED / PAGE / 8);
    CHECK_EQ(sparse[0], hash_bytes(at, MAPPED, 5));
    CHECK_EQ(sparse[1], hash_bytes(at + 3 * PAGE + 9, MAPPED - 4 * PAGE, 6));
    CHECK_EQ(sparse[2], hash_bytes(at + 100, 1000, 7));
    munmap(at, MAPPED);
}
