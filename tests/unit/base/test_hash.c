/* tests/unit/base/test_hash.c - fixed points of XXH3, because hashes are
 * stored with results. */
#include "base/hash.h"

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
