/* src/launchfile/plan_line.c - see plan_line.h. */
#include "launchfile/plan_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void plan_texts_add(plan_texts *t, const char *text)
{
    t->text = renew(t->text, t->count + 1, sizeof *t->text);
    t->text[t->count++] = text;
}

void plan_line_fini(plan_line *l)
{
    free(l->args.text);
    free(l->dumps.text);
    free(l->expects.text);
}

status plan_add_line(plan *p, const plan_line *l, diag *dg)
{
    plan_launch *to = plan_add_launch(p);
    status worst = ST_OK;

    to->kernel = l->kernel;
    to->shared_bytes = l->shared_bytes;
    memcpy(to->grid, l->grid, sizeof to->grid);
    memcpy(to->block, l->block, sizeof to->block);
    memcpy(to->cluster, l->cluster, sizeof to->cluster);
    for (size_t i = 0; i < l->args.count; i++) {
        status st = plan_add_arg(p, to, l->args.text[i], dg);

        worst = st == ST_OK ? worst : st;
    }
    return worst;
}

static status add_outputs(plan *p, plan_texts list, bool expect,
                          double tolerance, diag *dg)
{
    status worst = ST_OK;

    for (size_t i = 0; i < list.count; i++) {
        status st = plan_add_output(p, expect, list.text[i], tolerance, dg);

        worst = st == ST_OK ? worst : st;
    }
    return worst;
}

status plan_add_outputs(plan *p, const plan_line *l, diag *dg)
{
    status dumps = add_outputs(p, l->dumps, false, 0, dg);
    status expects = add_outputs(p, l->expects, true, l->tolerance, dg);

    return expects == ST_OK ? dumps : expects;
}
