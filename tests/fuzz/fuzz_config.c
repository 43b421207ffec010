/* tests/fuzz/fuzz_config.c - the YAML reader and the parameters behind it.
 * A text that is accepted must come back from its own dump. */
#include "fuzz.h"

#include "base/diag.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "config/print.h"
#include "config/rules.h"
#include "config/sheet.h"

static void read_back(const config *cfg, diag *dg)
{
    config_sheet *s = config_sheet_new();
    strbuf dump = {0};

    config_dump(cfg, &dump);
    MUST(config_sheet_read(s, "dump.yaml", dump.text, dump.size, dg) == ST_OK);
    MUST(config_hash(config_sheet_values(s)) == config_hash(cfg));
    strbuf_fini(&dump);
    config_sheet_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    config_sheet *s = config_sheet_new();
    diag *dg = diag_new();

    if (config_sheet_read(s, "fuzz.yaml", (const char *)data, size, dg) ==
        ST_OK) {
        config_sheet_check(s, dg);
        diag_clear(dg);
        read_back(config_sheet_values(s), dg);
    }
    diag_free(dg);
    config_sheet_free(s);
    return 0;
}
