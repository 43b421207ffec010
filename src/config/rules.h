/* src/config/rules.h - rules that hold between parameters. */
#ifndef CONFIG_RULES_H
#define CONFIG_RULES_H

#include "base/diag.h"
#include "base/status.h"
#include "config/config.h"
#include "config/sheet.h"

enum { CONFIG_CHANNEL_SLICES = 16 }; /* of L2, at one DRAM channel, at most */

/* Reports every rule that is broken. With a sheet, each error stands at the
 * place of one value and a note at that of the other. */
status config_sheet_check(const config_sheet *s, diag *dg);
status config_check(const config *cfg, diag *dg);

#endif
