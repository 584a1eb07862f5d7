#!/bin/sh
# What a program outside gets: the header, the symbols, the pkg-config file.
. "${srcdir:-.}/test/tools/tap.sh"

flags="-I${srcdir:-.}/include -I${srcdir:-.}/config"
library=$builddir/.libs/libhcomm.so
program='#include "hcomm.h"
int main(void) { return hcomm_version()[0] == 0; }'

for language in c c++; do
    case $language in c) compiler=cc ;; *) compiler=c++ ;; esac
    if ! $compiler --version >/dev/null 2>&1; then
        skip "hcomm.h stands alone in $language" "no $compiler"
        continue
    fi
    echo "$program" >"$work/user.$language"
    # shellcheck disable=SC2086 # several words
    ok "hcomm.h stands alone in $language" $compiler -Wall -Wextra -Werror \
        -x "$language" "$work/user.$language" -x none $flags -L"$builddir/.libs" \
        -lhcomm -o "$work/program-$language"
    ok "and the program in $language runs" "$work/program-$language"
done

exported() { nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }'; }
if command -v nm >/dev/null; then
    ok "nothing but hcomm_ and hc_ is exported" \
        test -z "$(exported | grep -v -e '^hcomm_' -e '^hc_')"
    # What the header declares is what the public node has.
    sed -n '/^HCOMM_API/,/;/p' "${srcdir:-.}/include/hcomm.h" |
        grep -o 'hcomm_[a-z_]*(' | tr -d '(' | sort >"$work/declared"
    exported | sed -n 's/^\(hcomm_.*\)@@HCOMM_0$/\1/p' | sort >"$work/public"
    ok "the public functions are those of the header" \
        cmp "$work/declared" "$work/public"
    ok "there are some" test "$(wc -l <"$work/public")" -gt 10
    version=$("$tree/hcc" --version | sed 's/^hcc //')
    ok "the private ones belong to this release" test -z \
        "$(exported | grep '^hc_' | grep -v "@@HCOMM_PRIVATE_$version\$")"
else
    skip "what is exported" "no nm"
fi

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="$builddir/include"
    ok "pkg-config gives the version" \
        test "$(pkg-config --modversion hcomm)" = "$("$tree/hcc" --version | sed 's/^hcc //')"
    ok "and how to link" sh -c 'pkg-config --libs hcomm | grep -q -e -lhcomm'
    ok "with every word filled in" not grep -q '@' "$builddir/include/hcomm.pc"
else
    skip "the pkg-config file" "no pkg-config"
fi
finish
