#!/bin/sh
# What hcc-launch hands to mpirun, and what it leaves alone.
. "${srcdir:-.}/test/tools/tap.sh"

launch=$tree/hcc-launch
app=$work/app
printf '#!/bin/sh\nexit 0\n' >"$app"
chmod +x "$app"

asked_for() { printf '%s\n' "$@" | cmp -s - "$asked"; }
asked_with() { # the words in a row, somewhere
    tr '\n' '\001' <"$asked" | grep -q -F "$(printf '%s\n' "$@" | tr '\n' '\001')"
}
around_has() { grep -q -x -F -e "$1" "$around"; }
around_names() { grep -q -e "^$1=" "$around"; }

# --- what is added, and when not
run "$launch" -n 2 "$app" one 'two words' '' '--mca' '*'
ok "--mca coll hcomm is added, the rest passed through" \
    asked_for --mca coll hcomm -n 2 "$app" one 'two words' '' --mca '*'
ok "it is quiet" silent
ok "the plugin of the tree is found" around_has \
    "OMPI_MCA_mca_base_component_path=$tree/ompi_component:SYSTEM_DEFAULT:USER_DEFAULT"
ok "no oversubscription unless asked for" not grep -q oversubscribe "$asked" "$around"
run "$launch" --oversubscribe -n 2 "$app"
ok "mpirun's own options pass" asked_for --mca coll hcomm --oversubscribe -n 2 "$app"

for option in --mca -mca --gmca -gmca; do
    run "$launch" $option coll ^hcomm -n 1 "$app"
    ok "$option coll of the user's is left alone" \
        asked_for $option coll ^hcomm -n 1 "$app"
done
OMPI_MCA_coll=tuned run "$launch" -n 1 "$app"
ok "OMPI_MCA_coll is left alone" asked_for -n 1 "$app"
run "$launch" -n 1 "$app" --mca coll tuned
ok "the program's own arguments decide nothing" \
    asked_for --mca coll hcomm -n 1 "$app" --mca coll tuned

OMPI_MCA_mca_base_component_path=/mine run "$launch" "$app"
ok "ours comes before a component path that is set" around_has \
    "OMPI_MCA_mca_base_component_path=$tree/ompi_component:/mine"
run "$launch" --mca mca_base_component_path /mine "$app"
ok "a component path on the command line is left alone" \
    not around_names OMPI_MCA_mca_base_component_path
mkdir -p "$HOME/.openmpi"
echo 'mca_base_component_path = /filed' >"$HOME/.openmpi/mca-params.conf"
run "$launch" "$app"
ok "one in a parameter file is kept behind ours" around_has \
    "OMPI_MCA_mca_base_component_path=$tree/ompi_component:/filed"
rm "$HOME/.openmpi/mca-params.conf"

# Where make install puts the plugin: Makefile variables look like the shell's.
installed=$(
    for name in prefix exec_prefix libdir ompi_component_dir; do
        eval "$name=$(sed -n "s/^$name = //p" "$builddir/Makefile")"
    done
    # shellcheck disable=SC2154 # set by eval
    echo "$ompi_component_dir"
)
mv "$tree/ompi_component/mca_coll_hcomm.so" "$work/"
run "$launch" "$app"
if [ -e "$installed/mca_coll_hcomm.so" ]; then
    ok "the installed plugin will do" both exited 0 silent
else
    ok "no plugin anywhere: said, and Open MPI has the last word" \
        both exited 0 says 'no mca_coll_hcomm.so in'
fi
mv "$work/mca_coll_hcomm.so" "$tree/ompi_component/"

# --- HCOMM_X reaches every host
HCOMM_LOG_LEVEL=debug run "$launch" -n 1 "$app"
ok "HCOMM_LOG_LEVEL goes on as an MCA parameter" \
    around_has OMPI_MCA_coll_hcomm_log_level=debug
HCOMM_LOG_LEVEL=debug OMPI_MCA_coll_hcomm_log_level=info run "$launch" "$app"
ok "OMPI_MCA_ of the same name wins" \
    around_has OMPI_MCA_coll_hcomm_log_level=info
HCOMM_LOG_LEVEL=debug run "$launch" --mca coll_hcomm_log_level info "$app"
ok "--mca of the same name wins" \
    not around_names OMPI_MCA_coll_hcomm_log_level
HCOMM_EMU_PEER=0 run "$launch" -n 1 "$app" : -n 2 "$app"
ok "what is read before MPI_Init goes by -x, for each program" \
    asked_for --mca coll hcomm -x HCOMM_EMU_PEER -n 1 "$app" : \
    -x HCOMM_EMU_PEER -n 2 "$app"
HCOMM_EMU_PEER=0 OMPI_MCA_mca_base_env_list=FOO run "$launch" "$app"
ok "where mca_base_env_list is used it is extended: mpirun forbids both" \
    around_has "OMPI_MCA_mca_base_env_list=FOO;HCOMM_EMU_PEER"
ok "and there is no -x" not grep -q -x -e -x "$asked"
HCOMM_LOG_LEVEL=loud run "$launch" "$app"
ok "a value that can't be stops the start" both exited 2 says loud

# --- exit status and stdout
fake_status=3 fake_says='a\0b\n' run "$launch" "$app"
printf 'a\0b\n' >"$work/expected"
ok "the exit status is the program's" exited 3
ok "stdout is the program's, byte for byte" cmp "$out" "$work/expected"
run "$launch" "$app-is-not-there"
ok "a missing program" both exited 127 says "$app-is-not-there not found"
run "$launch" no-such-program-anywhere
ok "a missing program in PATH" both exited 127 says 'write ./'
ok "and mpirun was not started" not test -e "$asked"
run "$launch" --host far "/only/there/app"
ok "with --host it may be there and not here" exited 0
touch "$work/data"
run "$launch" "$work/data"
ok "a file without permission" both exited 126 says 'not an executable'
run "$launch" "$work"
ok "a directory" both exited 126 says 'not an executable'
(cd "$work" && run "$launch" --wdir "$work" ./app && exited 0) &&
    ok "--wdir counts for the program's path" true ||
    ok "--wdir counts for the program's path" false
run "$launch"
ok "no program" both exited 2 says 'no program'
run "$launch" --emulat nvidia:1 "$app"
ok "a misspelt option" both exited 2 says 'did you mean --emulate?'
run "$launch" --future-option "$app"
ok "an option we don't know is mpirun's business" \
    asked_for --mca coll hcomm --future-option "$app"
run "$launch" --help
ok "--help is on stdout" both exited 0 printed '^Usage: hcc-launch'
run "$launch" --version
ok "--version" both exited 0 printed '^hcc-launch [0-9]'

run env PATH=/nowhere "$launch" "$app"
ok "no mpirun" both exited 127 says 'no mpirun in PATH'
fake_version='HYDRA build details:' run "$launch" "$app"
ok "another MPI's mpirun" both exited 2 says "not Open MPI's"
fake_version='mpirun (Open MPI) 5.0.7' run "$launch" "$app"
ok "an Open MPI that isn't served" both exited 2 says '5.0.7'

# --- --dry-run
HCOMM_LOG_LEVEL=debug run "$launch" --dry-run -n 2 "$app" "it's" 'a b' '$x'
ok "--dry-run starts nothing" not test -e "$asked"
cp "$out" "$work/command"
run sh "$work/command"
ok "its one line, pasted, is the same call" \
    asked_for --mca coll hcomm -n 2 "$app" "it's" 'a b' '$x'
ok "with the same environment" around_has OMPI_MCA_coll_hcomm_log_level=debug
ok "one line" test "$(wc -l <"$work/command")" -eq 1

# --- CPUs
run "$launch" -n 2 "$app"
ok "no binding without need" not grep -q bind "$asked"
cpu=$(taskset -pc $$ 2>/dev/null | sed 's/.*[:,-] *//')
if [ -z "$cpu" ] || [ "$(nproc)" -lt 2 ]; then
    skip "a confined shell keeps its CPUs" "needs taskset and two CPUs"
else
    run taskset -c "$cpu" "$launch" -n 2 "$app"
    ok "a confined shell keeps its CPUs" \
        asked_for --mca coll hcomm --bind-to none -n 2 "$app"
    for choice in '--bind-to core' '--map-by socket' '--cpu-set 0'; do
        # shellcheck disable=SC2086 # two words
        run taskset -c "$cpu" "$launch" $choice "$app"
        ok "$choice is left alone" not asked_with --bind-to none
    done
    OMPI_MCA_hwloc_base_binding_policy=core run taskset -c "$cpu" "$launch" "$app"
    ok "so is a binding in the environment" not asked_with --bind-to none
fi

# --- memory of other processes
run "$builddir/test/tools/deny_readv" "$launch" "$app"
if [ "$status" -eq 77 ]; then
    skip "processes that can't read each other" "no seccomp here"
else
    ok "processes that can't read each other" \
        around_has OMPI_MCA_btl_vader_single_copy_mechanism=none
    run "$builddir/test/tools/deny_readv" "$launch" \
        --mca btl_vader_single_copy_mechanism cma "$app"
    ok "unless the user chose" \
        not around_names OMPI_MCA_btl_vader_single_copy_mechanism
fi
run "$launch" "$app"
ok "processes that can" not around_names OMPI_MCA_btl_vader_single_copy_mechanism

# --- Open MPI itself
PATH=$real_path
if mpirun --version 2>/dev/null | grep -q '(Open MPI) 4\.1\.'; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    command -v ssh >/dev/null || export OMPI_MCA_plm=isolated # it would ask for it
    printf '#!/bin/sh\necho "$OMPI_MCA_coll $1"\nexit 3\n' >"$app"
    run "$launch" -n 1 "$app" 'a b'
    ok "mpirun: the exit status" exited 3
    ok "mpirun: stdout" test "$(cat "$out")" = "hcomm a b"
    if [ -n "$cpu" ] && [ "$(nproc)" -ge 2 ]; then
        printf '#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status\n' >"$app"
        run taskset -c "$cpu" "$launch" --oversubscribe -n 2 "$app"
        ok "mpirun: both ranks keep the CPU" \
            test "$(grep -c "[[:space:]]$cpu\$" "$out")" -eq 2
    fi
else
    skip "mpirun itself" "no Open MPI 4.1 in PATH"
fi
finish
