#!/bin/sh
# Fails when a folder includes one that stands above it, or when a name that
# belongs in one place turns up elsewhere.  TAP.
cd "${srcdir:-.}" || exit 99
echo 1..4

verdict() { # verdict NUMBER WHAT: "not ok" with the lines read, if any
    bad=$(cat)
    if [ -z "$bad" ]; then
        echo "ok $1 - $2"
    else
        echo "not ok $1 - $2"
        echo "$bad" | sed 's/^/# /'
    fi
}

below=""
for folder in config device ucx_tl collectives ompi_component; do
    grep -rnE '#include "(config|device|ucx_tl|collectives|ompi_component)/' \
        "$folder" | grep -vE "#include \"($folder$below)/"
    below="$below|$folder"
done | verdict 1 "a folder includes only what stands below it"

grep -rlE 'mca_coll_base|#include [<"](ompi|opal|orte)[_/]' --include='*.[ch]' . |
    grep -vE '^\./(ompi_component|test|build[^/]*)/' |
    verdict 2 "Open MPI's names stay in ompi_component/"

grep -rl '"libcuda\.so' --include='*.[ch]' config device/*.[ch] ucx_tl \
    collectives ompi_component include 2>/dev/null |
    grep -v '^device/dev_cuda.c$' |
    verdict 3 "libcuda is opened in one source file"

grep -rnE '#include "(config|device|collectives|ucx_tl)/' tools |
    grep -vE '"config/(cfg_words|hcomm_status)\.h"' |
    verdict 4 "tools stand on include/hcomm.h"
