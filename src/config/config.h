/* src/config/config.h - every parameter of the simulated machine, as values.
 * Plain data, copied freely: blocks read cfg->sm.warps. The fields are the
 * rows of config/params.def, the enumerations those of config/enums.def. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum { CONFIG_TEXT = 48 }; /* room of a text value, with its NUL */

/* clang-format off */
#define ENUM_BEGIN(type) typedef enum cfg_##type {
#define VALUE(type, id, text, help) CFG_##id,
#define ENUM_END(type) } cfg_##type;
#include "config/enums.def"
#undef ENUM_BEGIN
#undef VALUE
#undef ENUM_END

typedef struct config {
#define SECTION(path, id, help) struct {
#define END(id) } id;
#define INT(sec, id, def, min, max, unit, source, help) unsigned id;
#define POW2(sec, id, def, min, max, unit, source, help) unsigned id;
#define SIZE(sec, id, def, min, max, unit, source, help) uint64_t id;
#define BOOL(sec, id, def, source, help) bool id;
#define ENUM(sec, id, type, def, source, help) cfg_##type id;
#define TEXT(sec, id, def, source, help) char id[CONFIG_TEXT];
#include "config/params.def"
#undef SECTION
#undef END
#undef INT
#undef POW2
#undef SIZE
#undef BOOL
#undef ENUM
#undef TEXT
} config;

/* clang-format on */

void config_defaults(config *cfg);

/* Rows of sm.op and sm.unit, which are indexed by name or number. */
typedef struct config_op {
    cfg_unit unit;
    unsigned interval, latency;
} config_op;
typedef struct config_unit {
    unsigned private, shared;
} config_unit;

/* False if there is no sm.op.<name>. Slow: for construction only. */
bool config_op_find(const config *cfg, const char *name, config_op *out);
config_unit config_unit_get(const config *cfg, cfg_unit unit);

/* A clock domain advances `num` of its cycles while the core advances `den`,
 * in lowest terms. `clock_khz` 0 is the core clock. */
typedef struct config_ratio {
    unsigned num, den;
} config_ratio;
config_ratio config_clock_ratio(const config *cfg, unsigned clock_khz);

/* Lists of numbers: "", "3", "0,4-7". */
bool config_list_good(const char *list);
/* Is `n` in it? False for all if the list is not good from some place on. */
bool config_listed(const char *list, unsigned n);

uint64_t config_l1_bytes(const config *cfg);
/* What the L1 keeps where an SM's CTAs use `shared` bytes of shared memory, and
 * how much of that there is. At least a line stays: the load unit has no other
 * way to the network. */
typedef struct config_carve {
    unsigned sets, ways;
    uint64_t shared;
} config_carve;
config_carve config_l1_carve(const config *cfg, uint64_t shared);
uint64_t config_l2_bytes(const config *cfg); /* all slices */

#endif
