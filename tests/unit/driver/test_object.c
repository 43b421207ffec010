/* tests/unit/driver/test_object.c - objects by handle, and how long they
 * live. */
#include "driver/object.h"
#include "test.h"

typedef struct thing {
    long before;
    drv_object o;
} thing;

enum { THING = 3, OTHER = 4 };

static unsigned destroyed;

static void thing_destroy(void *handle)
{
    destroyed++;
    free(handle);
}

static thing *thing_new(unsigned kind)
{
    thing *t =
        drv_object_new(kind, sizeof *t, offsetof(thing, o), thing_destroy);

    CHECK(t);
    return t;
}

TEST(any_value_may_be_looked_up)
{
    thing *t = thing_new(THING);
    int here;

    CHECK(drv_find(t, THING) == &t->o);
    CHECK(t->o.handle == t);
    CHECK(!drv_find(t, OTHER));
    CHECK(!drv_find(&t->o, THING));
    CHECK(!drv_find(NULL, THING));
    CHECK(!drv_find(&here, THING));
    CHECK(!drv_find((void *)1, THING));
    CHECK_EQ(drv_count(THING), 1);
    CHECK_EQ(drv_count(OTHER), 0);
    drv_release(&t->o);
    CHECK(!drv_find(t, THING));
    CHECK_EQ(drv_count(THING), 0);
}

TEST(an_object_lives_while_it_is_used)
{
    thing *t = thing_new(THING);
    unsigned before = destroyed;

    drv_use(&t->o);
    drv_use(&t->o);
    drv_release(&t->o);
    drv_drop(&t->o);
    CHECK(drv_find(t, THING));
    CHECK_EQ(destroyed, before);
    drv_drop(&t->o);
    CHECK_EQ(destroyed, before + 1);
    CHECK(!drv_find(t, THING));
    drv_use(NULL);
    drv_drop(NULL);
}

TEST(what_programs_do_not_see_is_in_no_set)
{
    thing *t = thing_new(0);

    CHECK_EQ(drv_count(0), 1);
    CHECK(!drv_find(t, 0));
    drv_release(&t->o);
    CHECK_EQ(drv_count(0), 0);
}

TEST(an_object_without_an_end_stays)
{
    static thing *t;

    t = drv_object_new(OTHER, sizeof *t, offsetof(thing, o), NULL);
    CHECK(t);
    drv_release(&t->o);
    CHECK(drv_find(t, OTHER));
}
