/* src/study/mechanism_fit.c - see mechanism_fit.h. */
#include "study/mechanism_fit.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "config/param.h"
#include "config/rules.h"

enum { ASSIGNMENT_MOST = 256 };

/* "PATH=VALUE". */
static bool put_one(config *cfg, char *assignment, strbuf *why)
{
    char *value = strchr(assignment, '=');

    *value++ = '\0';
    return config_put(cfg, config_param_find(assignment), value, why);
}

/* "[NAME:]PATH=VALUE,...". */
static bool put_side(config *cfg, const char *side, strbuf *why)
{
    size_t colon = strcspn(side, ":="), length;
    char one[ASSIGNMENT_MOST];

    if (side[colon] == ':')
        side += colon + 1;
    for (; *side; side += length + (side[length] == ',')) {
        length = strcspn(side, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, side);
        if (!put_one(cfg, one, why))
            return false;
    }
    return true;
}

static bool fits_side(const mechanism *m, const char *gpu, config cfg,
                      const char *side, strbuf *why)
{
    const char *first = mechanism_set(m, gpu);

    if ((first && !put_side(&cfg, first, why)) || !put_side(&cfg, side, why))
        return false;
    diag *dg = diag_new();
    bool right = config_check(&cfg, dg) == ST_OK;
    if (!right)
        strbuf_puts(why, diag_get(dg, 0)->text);
    diag_free(dg);
    return right;
}

bool mechanism_fits(const mechanism *m, const char *gpu, const config *cfg,
                    strbuf *why)
{
    if (m->needs && !config_number(cfg, config_param_find(m->needs))) {
        strbuf_puts(why, m->without);
        return false;
    }
    if (!fits_side(m, gpu, *cfg, m->against, why))
        return false;
    for (size_t i = 0; i < MECHANISM_VARIANTS && m->with[i]; i++)
        if (!fits_side(m, gpu, *cfg, m->with[i], why))
            return false;
    return true;
}
