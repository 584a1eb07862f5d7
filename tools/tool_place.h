#ifndef TOOL_PLACE_H
#define TOOL_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Where this HCOMM's own files are: beside the running tool, so that an
 * installation may be moved and a build tree works before it is installed.
 */

/* Follow the way from one directory to another (both absolute) from start. */
void tool_place_follow(const char *start, const char *from, const char *to,
                       char *path_out, size_t room);

/* The directory with this HCOMM's plugin for an Open MPI series ("4.1");
 * false when it isn't there. */
bool tool_place_plugin(const char *series, char *dir_out, size_t room);

/* The directory with a vendor's ("nvidia", "amd", "intel") emulated driver;
 * false when it isn't there, and then dir_out is where it was looked for. */
bool tool_place_emulator(const char *vendor, char *dir_out, size_t room);

/* The plugin's file name. */
#define TOOL_PLUGIN "mca_coll_hcomm.so"

#endif
