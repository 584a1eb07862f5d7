#ifndef LAUNCH_PLAN_H
#define LAUNCH_PLAN_H

#include "tools/launch_args.h"
#include "tools/launch_command.h"
#include "tools/launch_emulate.h"
#include "tools/tool_ompi.h"

#include "hcomm.h"

/*
 * What hcc-launch adds to the user's command line, each only where the user
 * has not settled it: see the table in hcc_launch.c's help.
 *
 * emulate     NULL: real devices
 * warning_out something that will go wrong, or ""
 * The caller frees the command and looks at its `failed`.
 */
void launch_plan(const struct launch_args *a, const struct tool_ompi *ompi,
                 const hcomm_params          *params,
                 const struct launch_emulate *emulate,
                 struct launch_command *command_out, char *warning_out,
                 size_t room);

#endif
