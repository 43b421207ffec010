/* src/config/preset.h - the machines embedded in the binary: the files of
 * configs/, made into an array by the build. Owns nothing. */
#ifndef CONFIG_PRESET_H
#define CONFIG_PRESET_H

#include <stddef.h>

#include "base/strbuf.h"

typedef struct config_preset {
    const char *name; /* "v100" */
    const char *file; /* "configs/v100.yaml" */
    const char *text; /* NUL-terminated */
    size_t size;
} config_preset;

size_t config_preset_count(void);
const config_preset *config_preset_get(size_t i);          /* sorted by name */
const config_preset *config_preset_find(const char *name); /* NULL: none */
/* Its first comment line, without "# "; appended. */
void config_preset_summary(const config_preset *p, strbuf *out);

#endif
