/* src/config/preset.c - looks up the presets that the build embedded. */
#include "config/preset.h"

#include <string.h>

#include "base/must.h"

/* Made by cmake/parts.cmake from configs: an array preset_<name> of each
 * text, and `presets`, sorted by name. */
#include "config_presets.inc"

size_t config_preset_count(void) { return COUNTOF(presets); }

const config_preset *config_preset_get(size_t i)
{
    MUST(i < COUNTOF(presets));
    return &presets[i];
}

const config_preset *config_preset_find(const char *name)
{
    for (size_t i = 0; i < COUNTOF(presets); i++)
        if (!strcmp(presets[i].name, name))
            return &presets[i];
    return NULL;
}

void config_preset_summary(const config_preset *p, strbuf *out)
{
    const char *from = p->text;

    if (*from == '#')
        from += 1 + (from[1] == ' ');
    strbuf_write(out, from, strcspn(from, "\n"));
}
