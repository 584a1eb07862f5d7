# HCOMM's own configure macros: one report, and one way to look for each
# optional part.  Nothing of a vendor's SDK is needed to build.

# HC_REPORT_INIT, HC_REPORT(WHAT, yes|no, SHELL-THAT-PRINTS-WHY), HC_REPORT_PRINT
AC_DEFUN([HC_REPORT_INIT], [hc_report=''])
AC_DEFUN([HC_REPORT], [
hc_why=`$3`
hc_row=`printf '  %-12s %-5s %s' "$1" "$2" "$hc_why"`
hc_report="$hc_report$hc_row
"])
AC_DEFUN([HC_REPORT_PRINT], [
AS_ECHO(["
HCOMM $PACKAGE_VERSION
  part         found what follows
$hc_report
  component    $hc_component_dir_shown
  prefix       $prefix
"])])

# HC_ARG_OPTIONAL(NAME, WHAT): --with-NAME[=DIR], default: look, and do without.
AC_DEFUN([HC_ARG_OPTIONAL], [
AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1@<:@=DIR@:>@], [use $2 @<:@look for it@:>@])],
            [], [AS_TR_SH([with_$1])=check])])

# HC_REQUIRE_IF_ASKED(NAME, HOW): an explicit --with-NAME that found nothing stops.
AC_DEFUN([HC_REQUIRE_IF_ASKED], [
AS_CASE([$AS_TR_SH([with_$1])], [no|check], [],
        [AC_MSG_ERROR([--with-$1 was given, but $2])])])

# HC_CHECK_HEADER_ONLY(NAME, HEADER, PKG-CONFIG-NAME, WHAT FOLLOWS)
AC_DEFUN([HC_CHECK_HEADER_ONLY], [
hc_found=no
hc_version=''
hc_flags=''
AS_CASE([$AS_TR_SH([with_$1])], [no], [],
  [yes|check], [hc_flags=`$PKG_CONFIG --cflags $3 2>/dev/null`
                hc_version=`$PKG_CONFIG --modversion $3 2>/dev/null`],
  [hc_flags="-I$AS_TR_SH([with_$1])/include"])
AS_IF([test "x$AS_TR_SH([with_$1])" != xno], [
  hc_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $hc_flags"
  AC_MSG_CHECKING([for $2])
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <$2>]])], [hc_found=yes])
  AC_MSG_RESULT([$hc_found])
  CPPFLAGS=$hc_save_CPPFLAGS
  AS_IF([test $hc_found = no], [HC_REQUIRE_IF_ASKED([$1], [$2 was not found])])])
HC_REPORT([$1], [$hc_found], [AS_IF([test $hc_found = yes], [echo "$hc_version $4"],
  [test "x$AS_TR_SH([with_$1])" = xno], [echo "off: --without-$1"], [echo "no $2; $4"])])])

# HC_CHECK_VENDOR_HEADER(NAME, HEADER, PLACES, CPPFLAGS): only a test uses it.
AC_DEFUN([HC_CHECK_VENDOR_HEADER], [
hc_found=no
AS_TR_CPP([$1_CPPFLAGS])=''
AS_CASE([$AS_TR_SH([with_$1])], [no], [hc_places=''],
        [yes|check], [hc_places="/usr/include $3"],
        [hc_places="$AS_TR_SH([with_$1])/include $AS_TR_SH([with_$1])"])
for hc_dir in $hc_places; do
  AS_IF([test $hc_found = no && test -f "$hc_dir/$2"], [
    hc_found=yes
    AS_TR_CPP([$1_CPPFLAGS])="$4"
    AS_IF([test "$hc_dir" != /usr/include],
          [AS_TR_CPP([$1_CPPFLAGS])="$4 -isystem $hc_dir"])
    hc_where=$hc_dir])
done
AS_IF([test $hc_found = no && test "x$AS_TR_SH([with_$1])" != xno],
      [HC_REQUIRE_IF_ASKED([$1], [$2 was not found])])
AC_SUBST(AS_TR_CPP([$1_CPPFLAGS]))
AM_CONDITIONAL(AS_TR_CPP([HAVE_$1_HEADERS]), [test $hc_found = yes])
HC_REPORT([$1], [$hc_found], [AS_IF([test $hc_found = yes],
  [echo "$hc_where/$2: our tables are checked against it (the driver is opened at run time)"],
  [test "x$AS_TR_SH([with_$1])" = xno], [echo "off: --without-$1 (the driver is opened at run time all the same)"],
  [echo "no $2: tables not checked (the driver is opened at run time all the same)"])])])

# HC_OMPI_SERIES: what each series of Open MPI needs besides mpicc's flags.
#   ompi_built_for     what one build serves, in the names of folders
#   hc_ompi_shims      our folders for headers that distributions leave out
#   hc_ompi_more       further flags
# False where HCOMM does not serve it.
AC_DEFUN([HC_OMPI_SERIES], [
AS_CASE([$ompi_version],
  [4.1.*], [ompi_built_for=4.1 hc_ompi_shims=shim hc_ompi_more=''],
  [5.0.*], [ompi_built_for=$ompi_version hc_ompi_shims='shim shim/5.0'
            hc_ompi_more=`$PKG_CONFIG --cflags pmix 2>/dev/null`],
  [ompi_built_for=''])])

# HC_CHECK_OMPI: OMPI_CPPFLAGS, OMPI_LIBS, ompi_component_dir, HAVE_OMPI.
AC_DEFUN([HC_CHECK_OMPI], [
AC_ARG_WITH([ompi-component-dir],
  [AS_HELP_STRING([--with-ompi-component-dir=DIR],
    [where make install puts mca_coll_hcomm.so @<:@with the default prefix or
     Open MPI's own: Open MPI's component directory; with another prefix:
     LIBDIR/hcomm/openmpi-VERSION@:>@])],
  [], [with_ompi_component_dir=''])
hc_found=no
hc_why_ompi=''
OMPI_CPPFLAGS='' OMPI_LIBS='' ompi_component_dir='' ompi_version='' MPICC=''
AS_CASE([$with_ompi], [no], [hc_why_ompi="off: --without-ompi; only libhcomm and the tools are built"],
  [yes|check], [AC_PATH_PROG([OMPI_INFO], [ompi_info])],
  [AC_PATH_PROG([OMPI_INFO], [ompi_info], [], [$with_ompi/bin])])
AS_IF([test "x$with_ompi" != xno], [
  AS_IF([test -z "$OMPI_INFO"],
    [hc_why_ompi="no ompi_info: install libopenmpi-dev openmpi-bin; only libhcomm and the tools are built"],
    [ompi_version=`$OMPI_INFO --version | sed -n 's/^Open MPI v//p'`
     hc_ompi_bin=`AS_DIRNAME(["$OMPI_INFO"])`
     MPICC=$hc_ompi_bin/mpicc
     OMPI_CPPFLAGS="`$MPICC --showme:compile 2>/dev/null`"
     OMPI_LIBS="`$MPICC --showme:link 2>/dev/null`"
     hc_ompi_pkglibdir=`$OMPI_INFO --parsable --path pkglibdir | sed -n 's/^path:pkglibdir://p'`
     HC_OMPI_SERIES
     AS_IF([test -z "$ompi_built_for"],
       [hc_why_ompi="$ompi_version is neither 4.1.z nor 5.0.z; only libhcomm and the tools are built"],
       [AC_MSG_CHECKING([whether Open MPI $ompi_version's internal headers compile])
        OMPI_CPPFLAGS="$OMPI_CPPFLAGS $hc_ompi_more"
        hc_save_CPPFLAGS=$CPPFLAGS
        hc_save_CFLAGS=$CFLAGS
        CPPFLAGS="$CPPFLAGS $OMPI_CPPFLAGS"
        CFLAGS="$CFLAGS -mcx16"
        # Last on the path, so that what is there wins.
        for hc_dir in $hc_ompi_shims; do
          CPPFLAGS="$CPPFLAGS -I$srcdir/ompi_component/$hc_dir"
          OMPI_CPPFLAGS="$OMPI_CPPFLAGS -I\$(srcdir)/ompi_component/$hc_dir"
        done
        AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#include "ompi_config.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/communicator/communicator.h"
#include "ompi/op/op.h"
]])], [hc_found=yes], [hc_why_ompi="$ompi_version, but without internal headers (a build with --with-devel-headers is needed, and for 5.0 PMIx's headers)"])
        CPPFLAGS=$hc_save_CPPFLAGS
        CFLAGS=$hc_save_CFLAGS
        AC_MSG_RESULT([$hc_found])])])
  AS_IF([test $hc_found = no], [HC_REQUIRE_IF_ASKED([ompi], [$hc_why_ompi])])])
AS_IF([test $hc_found = yes], [
  hc_why_ompi="$ompi_version in $hc_ompi_bin"
  AS_IF([test -n "$with_ompi_component_dir"], [ompi_component_dir=$with_ompi_component_dir],
        [test "x$prefix" = xNONE || test "$prefix/bin" = "$hc_ompi_bin"], [ompi_component_dir=$hc_ompi_pkglibdir],
        [ompi_component_dir="\${libdir}/hcomm/openmpi-$ompi_built_for"])
  AC_DEFINE_UNQUOTED([HC_OMPI_BIN], ["$hc_ompi_bin"], [where mpirun was found at build time])
  hc_component_dir_shown=$ompi_component_dir], [hc_component_dir_shown="not built"])
AC_SUBST([OMPI_CPPFLAGS])
AC_SUBST([OMPI_LIBS])
AC_SUBST([MPICC])
AC_SUBST([ompi_component_dir])
AM_CONDITIONAL([HAVE_OMPI], [test $hc_found = yes])
HC_REPORT([ompi], [$hc_found], [AS_ECHO(["$hc_why_ompi"])])])

# HC_WARNINGS: the house's warning flags (doc/design.md); -Werror with
# --enable-werror, which the tests use.
AC_DEFUN([HC_WARNINGS], [
AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [warnings stop the build])],
              [], [enable_werror=no])
AC_ARG_ENABLE([sanitizer],
  [AS_HELP_STRING([--enable-sanitizer=LIST], [-fsanitize=LIST, e.g. address,undefined or thread])],
  [], [enable_sanitizer=no])
HC_CFLAGS='-std=c11 -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -fvisibility=hidden'
AS_IF([test "x$enable_werror" = xyes], [HC_CFLAGS="$HC_CFLAGS -Werror"])
AS_IF([test "x$enable_sanitizer" != xno],
      [CFLAGS="$CFLAGS -fsanitize=$enable_sanitizer -fno-omit-frame-pointer -fno-sanitize-recover=all"])
# Open MPI's headers have fences, which gcc's thread sanitizer does not follow.
AS_CASE([$enable_sanitizer], [*thread*],
  [hc_saved_CFLAGS=$CFLAGS
   CFLAGS="$CFLAGS -Werror -Wno-tsan"
   AC_COMPILE_IFELSE([AC_LANG_PROGRAM()], [hc_saved_CFLAGS="$hc_saved_CFLAGS -Wno-tsan"])
   CFLAGS=$hc_saved_CFLAGS])
AM_CONDITIONAL([SANITIZER], [test "x$enable_sanitizer" != xno])
])
