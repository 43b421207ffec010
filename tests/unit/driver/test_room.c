/* tests/unit/driver/test_room.c - simulated memory, and what is left of each
 * device's. */
#include "driver/room.h"

#include "door.h"

TEST(room_counts_against_each_device)
{
    drv_device *const *both = drv.devices;
    uint64_t first = drv_room_left(both, 1), least = drv_room_left(both, 2);
    uint64_t addr = 0;

    CHECK_EQ(first, drv_device_bytes(drv.devices[0]));
    CHECK_EQ(drv_room_take(both, 2, 4096, 256, "a", &addr), DRV_ROOM_TAKEN);
    CHECK_EQ(addr % 256, 0);
    CHECK_EQ(drv_room_left(both, 1), first - 4096);
    CHECK_EQ(drv_room_left(both, 2), least - 4096);
    drv_room_host(addr)[4095] = 7;
    drv_room_give(both, 2, addr, 4096);
    CHECK_EQ(drv_room_left(both, 1), first);
    CHECK_EQ(drv_room_left(both, 2), least);
}

TEST(a_device_holds_no_more_than_it_has)
{
    drv_device *const *first = drv.devices;
    uint64_t all = drv_room_left(first, 1), addr = 1, other;

    CHECK_EQ(drv_room_take(first, 1, all + 1, 1, "a", &addr), DRV_ROOM_DEVICE);
    CHECK_EQ(addr, 1);
    CHECK_EQ(drv_room_take(first, 1, all, 1, "a", &addr), DRV_ROOM_TAKEN);
    CHECK_EQ(drv_room_take(first, 1, 1, 1, "b", &other), DRV_ROOM_DEVICE);
    CHECK_EQ(drv_room_take(first + 1, 1, 1, 1, "b", &other), DRV_ROOM_TAKEN);
    drv_room_give(first, 1, addr, all);
    drv_room_give(first + 1, 1, other, 1);
}

/* 877 MHz at double rate on 32 channels of 16 bytes: 898,048 bytes in a
 * microsecond. */
TEST(memory_moves_bytes_at_its_peak_rate)
{
    const drv_device *v100 = drv.devices[0];

    CHECK_EQ(drv_memory_ns(v100, 0), 0);
    CHECK_EQ(drv_memory_ns(v100, 1), 1);
    CHECK_EQ(drv_memory_ns(v100, 898048), 1000);
    CHECK_EQ(drv_memory_ns(v100, 898049), 1001);
}
