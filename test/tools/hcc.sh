#!/bin/sh
# What hcc says about installations and machines of every kind.
. "${srcdir:-.}/test/tools/tap.sh"

hcc=$tree/hcc
version=$("$hcc" --version | sed 's/^hcc //')
printf '#!/bin/sh\nexit 0\n' >"$work/bin/true-program"

# An ompi_info of this Open MPI: search path, plugin's version, delay, stderr.
conf=$work/openmpi-mca-params.conf
cat >"$work/bin/ompi_info" <<'EOF'
#!/bin/sh
sleep "${fake_delay:-0}"
echo "path:pkglibdir:$fake_pkglibdir"
echo "mca:mca:base:param:mca_base_param_files:value:$HOME/.openmpi/mca-params.conf,$fake_conf"
echo "mca:mca:base:param:mca_base_component_path:value:\"$fake_search\""
echo "mca:opal:base:param:opal_built_with_cuda_support:value:${fake_cuda:-false}"
[ -z "$fake_plugin" ] || echo "mca:coll:hcomm:version:\"component:$fake_plugin\""
[ -z "$fake_error" ] || echo "$fake_error" >&2
EOF
chmod +x "$work/bin/ompi_info"
mkdir "$work/pkglib" "$HOME/.openmpi"
touch "$work/pkglib/mca_coll_hcomm.so" "$conf"
export fake_pkglibdir="$work/pkglib" fake_conf="$conf"
export fake_search="$work/pkglib:$HOME/.openmpi/components" fake_plugin="$version"
# A machine's own peculiarities are not what is tested.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# line VERDICT CHECK TEXT: a line so, and, unless OK, a fix under it
line() {
    awk -v start="$1 *$2 " -v text="$3" -v ok="$1" '
        wanted { found = /^ +fix: /; exit }
        $0 ~ "^" start && $0 ~ text { wanted = 1; if (ok == "OK") { found = 1; exit } }
        END { exit !found }' "$out"
}
fixed_by() { grep -q -e "^ *fix: .*$1" "$out"; }

# --- arguments
run "$hcc" --version
ok "--version" both exited 0 printed '^hcc [0-9][0-9.]*$'
run "$hcc" --help
ok "--help" both exited 0 printed '^Usage: hcc'
run "$hcc" --jsn
ok "an unknown argument" both exited 2 says 'did you mean --json'
ok "says nothing on stdout" test ! -s "$out"

# --- a good installation
run "$hcc"
ok "nothing fails" both exited 0 not printed '^FAIL'
ok "it is quiet on stderr" silent
ok "hcc and where it is" line OK hcc "$version, $hcc"
ok "libhcomm" line OK libhcomm "$version, .*libhcomm.so"
ok "Open MPI" line OK 'Open MPI' "4.1.4, $work/bin/mpirun"
ok "the plugin" line OK plugin "$version, $work/pkglib"
ok "settings" line OK settings "$conf"
ok "calls that are covered" line OK calls MPI_Allreduce
ok "calls that are not" line NONE calls 'MPI error.*MPI_Put.*windows'
ok "one check a line, one fix under each that is not OK" awk '
    /^$/ { done = 1 } done { next }
    /^(OK|NONE|WARN|FAIL) / { if (need) bad = 1; need = !/^OK/; next }
    /^ +fix: / { if (!need) bad = 1; need = 0; next }
    { bad = 1 }
    END { exit bad || need }' "$out"
if [ -e /dev/nvidiactl ] || [ -e /dev/kfd ]; then
    skip "a machine without a GPU" "this one may have some"
else
    ok "no NVIDIA GPU" line NONE nvidia /dev/nvidiactl
    ok "no AMD GPU" line NONE amd /dev/kfd
    ok "no Intel GPU" line NONE intel ''
    ok "the last line says so" test "$(tail -n 1 "$out" | grep -c 'no GPU here')" -eq 1
fi

# The fastest of three: the machine may be busy.
fastest=100000
for _ in 1 2 3; do
    before=$(date +%s%N)
    run "$hcc"
    after=$(date +%s%N)
    [ $(((after - before) / 1000000)) -ge $fastest ] ||
        fastest=$(((after - before) / 1000000))
done
ok "within a second ($fastest ms without Open MPI's own 220)" test "$fastest" -lt 750

cp "$out" "$work/text"
run "$hcc" --json
if python3 -c '' 2>/dev/null; then
    ok "--json says the same" python3 - "$out" "$work/text" <<'EOF'
import json, sys
report = json.load(open(sys.argv[1]))
text = [l for l in open(sys.argv[2]) if l.split()[:1] and l.split()[0] in
        ("OK", "NONE", "WARN", "FAIL")]
assert len(report["checks"]) == len(text) > 5
for check, line in zip(report["checks"], text):
    assert line.startswith(check["verdict"]) and check["check"] in line
    assert check["text"] in line
    assert (check["fix"] is None) == (check["verdict"] == "OK")
assert report["verdict"] in ("OK", "NONE", "WARN") and report["devices"] >= 0
EOF
else
    skip "--json says the same" "no python3"
fi
mkdir "$work/a\"b"
cp "$work/bin"/* "$work/a\"b/"
PATH="$work/a\"b:$PATH" run "$hcc" --json
ok "a quote in a path is escaped" grep -q 'a\\"b/mpirun' "$out"

# --- hcc itself
cp "$tree/hcc" "$work/bin/hcc"
run "$hcc"
ok "another hcc earlier in PATH" line WARN hcc "another hcc first: $work/bin/hcc"
ok "is no failure" exited 0
rm "$work/bin/hcc"

# --- Open MPI
run env PATH=/nowhere "$hcc"
ok "no mpirun" both exited 1 line FAIL 'Open MPI' 'no mpirun in PATH'
fake_version='HYDRA build details:' run "$hcc"
ok "another MPI" both exited 1 line FAIL 'Open MPI' 'another MPI .*HYDRA'
fake_version='mpirun (Open MPI) 5.0.7' run "$hcc"
ok "a series that isn't served" both exited 1 line FAIL 'Open MPI' '5.0.7'

# --- the plugin
fake_plugin=9.9.9 run "$hcc"
ok "a plugin of another version" both exited 1 line FAIL plugin 'version 9.9.9'
fake_plugin='' fake_error='unable to open mca_coll_hcomm: libhcomm.so.0: cannot open' run "$hcc"
ok "one that can't be loaded, with Open MPI's reason" \
    both exited 1 line FAIL plugin "doesn't load it: .*libhcomm.so.0: cannot open"
fake_delay=10 run "$hcc"
ok "an ompi_info that hangs is not waited for" line WARN plugin 'no answer'
rm "$work/pkglib/mca_coll_hcomm.so"
fake_plugin='' run "$hcc"
ok "one that only hcc-launch finds" line WARN plugin "$tree/ompi_component holds it"
ok "the fix is a line to paste" fixed_by \
    "OMPI_MCA_mca_base_component_path=$tree/ompi_component:SYSTEM_DEFAULT"
rm "$tree/ompi_component/mca_coll_hcomm.so"
fake_plugin='' run "$hcc"
ok "none at all" both exited 1 line FAIL plugin "no mca_coll_hcomm.so in $work/pkglib"
mkdir "$HOME/.openmpi/components"
touch "$HOME/.openmpi/components/mca_coll_hcomm.so"
run "$hcc"
ok "the user's own directory" line OK plugin "$HOME/.openmpi/components"
fake_search=SYSTEM_DEFAULT:USER_DEFAULT run "$hcc"
ok "Open MPI's words for its directories" line OK plugin "$HOME/.openmpi/components"

# --- settings
OMPI_MCA_opal_cuda_support=1 run "$hcc"
ok "opal_cuda_support" both exited 1 line FAIL settings 'opal_cuda_support=1 .OMPI_MCA_opal'
OMPI_MCA_opal_cuda_support=0 run "$hcc"
ok "opal_cuda_support=0 does no harm" exited 0
OMPI_MCA_opal_cuda_support=1 fake_cuda=true run "$hcc"
ok "nor where it is built in" exited 0
printf '# site\n\n mpi_cuda_support = true\n' >"$conf"
run "$hcc"
ok "a file is named with its line" line FAIL settings "mpi_cuda_support=true .$conf:3"
printf 'coll = tuned,basic\n' >"$conf"
run "$hcc"
ok "a coll list without hcomm" line WARN settings "coll=tuned,basic .$conf:1"
printf 'coll = ^hcomm,sync\n' >"$HOME/.openmpi/mca-params.conf"
run "$hcc"
ok "the user's file comes before the site's" line WARN settings 'coll=.hcomm,sync'
OMPI_MCA_coll=hcomm,tuned run "$hcc"
ok "the environment before both" line OK settings ''
OMPI_MCA_coll=^hcoll,ucc run "$hcc"
ok "a list that only leaves others out" line OK settings ''
rm "$HOME/.openmpi/mca-params.conf"
: >"$conf"
if [ -n "$(ls /sys/class/infiniband 2>/dev/null)" ]; then
    skip "pml=ucx" "this machine has InfiniBand"
else
    OMPI_MCA_pml=ucx run "$hcc"
    ok "pml=ucx where it can't be selected" both exited 1 line FAIL settings 'pml=ucx'
    OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_tls=any run "$hcc"
    ok "pml=ucx where it can" exited 0
fi
OMPI_MCA_pml=^ucx run "$hcc"
ok "pml=^ucx" exited 0
UCX_MEMTYPE_CACHE=n run "$hcc"
ok "UCX_MEMTYPE_CACHE" line WARN settings UCX_MEMTYPE_CACHE=n
UCX_TLS=tcp run "$hcc"
ok "UCX_TLS" line WARN settings UCX_TLS=tcp
HCOMM_ENABLE=0 run "$hcc"
ok "HCOMM switched off" line WARN settings 'off by HCOMM_ENABLE'
HCOMM_LOG_LEVLE=info run "$hcc"
ok "a misspelt variable" line WARN settings HCOMM_LOG_LEVLE
ok "and what was meant" fixed_by 'HCOMM_LOG_LEVEL?'
OMPI_MCA_coll_hcomm_log_levle=info run "$hcc"
ok "a misspelt parameter" line WARN settings coll_hcomm_log_levle
ok "and what was meant by it" fixed_by 'coll_hcomm_log_level?'
HCOMM_LOG_LEVEL=loud run "$hcc"
ok "a value that can't be" both exited 1 line FAIL settings 'value it can'

# --- devices
emulated() { # emulated VENDOR COMMAND...: with the drivers of this build
    LD_LIBRARY_PATH="$builddir/emulator/$1:$LD_LIBRARY_PATH" \
        HCOMM_EMULATE="$1:2" run "$hcc"
}
if { /sbin/ldconfig -p || echo libcuda.so; } 2>/dev/null | grep -q 'libcuda\.so'; then
    skip "an emulation without its driver" "this machine has a real one"
else
    HCOMM_EMULATE=nvidia:1 run "$hcc"
    ok "an emulation without its driver" both exited 1 line FAIL nvidia ''
    ok "its fix" fixed_by 'hcc-launch --emulate'
fi
HCOMM_EMULATE=amd:1 run "$hcc"
if { /sbin/ldconfig -p || echo libamdhip64.so; } 2>/dev/null | grep -q 'libamdhip64\.so'; then
    skip "the libraries that were tried are named" "this machine has HIP"
else
    ok "the libraries that were tried are named" line FAIL amd libamdhip64.so.6
fi
HCOMM_EMULATE=nvidia:1 CUDA_VISIBLE_DEVICES='' run "$hcc"
ok "hidden devices are no failure" both exited 0 line WARN nvidia ''
for vendor in nvidia amd intel; do
    if [ -n "$(ls "$builddir/emulator/$vendor" 2>/dev/null)" ]; then
        emulated $vendor
        if printed 'not found: libze_loader'; then
            skip "$vendor devices" "no libze1"
            continue
        fi
        ok "$vendor devices" line OK $vendor '2 devices, .* emulated: .*:0 .*:1 '
        ok "$vendor: the last line says what they are" \
            test "$(tail -n 1 "$out" | grep -c 'emulated')" -eq 1
    else
        skip "$vendor devices" "the emulator is not built"
    fi
done

# --- the system
run "$builddir/test/tools/deny_readv" "$hcc"
if [ "$status" -eq 77 ]; then
    skip "processes that can't read each other" "no seccomp here"
else
    ok "processes that can't read each other" line WARN 'memory copy' 'may not read'
    ok "the fix" fixed_by 'btl_vader_single_copy_mechanism=none'
    OMPI_MCA_btl_vader_single_copy_mechanism=none \
        run "$builddir/test/tools/deny_readv" "$hcc"
    ok "Open MPI told so" line OK 'memory copy' 'told so'
fi
if [ "$(id -u)" -eq 0 ]; then
    run env -u OMPI_ALLOW_RUN_AS_ROOT "$hcc"
    ok "root" line WARN user 'mpirun refuses'
fi
printf '#!/bin/sh\necho "MPI plugin types are..." >&2\necho "none pmix_v4" >&2\n' >"$work/bin/srun"
chmod +x "$work/bin/srun"
SLURM_JOB_ID=1 run "$hcc"
ok "Slurm: the hint" line WARN Slurm 'without --mpi=pmix'
SLURM_JOB_ID=1 SLURM_MPI_TYPE=pmix run "$hcc"
ok "Slurm: all set" line OK Slurm pmix
SLURM_JOB_ID=1 SLURM_STEP_ID=0 SLURM_NTASKS=4 run "$hcc"
ok "Slurm: ranks that are jobs of their own" both exited 1 line FAIL Slurm 'without PMIx'
printf '#!/bin/sh\necho none\n' >"$work/bin/srun"
SLURM_JOB_ID=1 run "$hcc"
ok "Slurm: no PMIx" line WARN Slurm 'no PMIx'
finish
