/* src/monitor/about.c - a device, as JSON: what does not change. */
#include "base/version.h"
#include "monitor/impl.h"
#include "noc/noc.h"
#include "sm/observe/inspect.h"
#include "text/json.h"

char *monitor_about(const config *c, const char *command)
{
    json_memory text;
    json *j = json_memory_begin(&text);

    json_text(j, "version", version_text);
    json_text(j, "command", command);
    json_text(j, "gpu", c->gpu.name);
    json_u64(j, "sms", c->gpu.sms);
    json_u64(j, "slots", c->sm.warps);
    json_u64(j, "schedulers", c->sm.issue.schedulers);
    json_u64(j, "clock_khz", c->gpu.clock_khz);
    json_u64(j, "window", noc_window(c));
    json_open(j, "reasons", '[');
    for (unsigned i = 0; i < WHY_COUNT; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", sm_why_names[i]);
        json_text(j, "help", sm_why_help[i]);
        json_close(j, '{');
    }
    json_close(j, '[');
    return json_memory_end(&text);
}
