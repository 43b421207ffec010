/* tests/schedulers.h - the policies of sm.issue.scheduler that a machine can
 * have without control codes: all but one, so that tests try a new one, too. */
#ifndef TESTS_SCHEDULERS_H
#define TESTS_SCHEDULERS_H

#include "config/param.h"

static inline unsigned scheduler_count(void)
{
    const config_param *p = config_param_find("sm.issue.scheduler");

    return (unsigned)p->choice_count - 1;
}

/* The name of one of them, in turn. */
static inline const char *scheduler_name(unsigned i)
{
    const config_param *p = config_param_find("sm.issue.scheduler");
    unsigned n = i % scheduler_count();

    return p->choices[n < CFG_SCHEDULER_TURN ? n : n + 1].text;
}

#endif
