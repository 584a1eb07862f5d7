#!/bin/sh
# hcc-launch --emulate: what it sets, and which programs it refuses and why.
. "${srcdir:-.}/test/tools/tap.sh"

launch=$tree/hcc-launch
app=$work/app
printf '#!/bin/sh\nexit 0\n' >"$app"
chmod +x "$app"
outer_path=$LD_LIBRARY_PATH

around_has() { grep -q -x -F -e "$1" "$around"; }
asked_for() { printf '%s\n' "$@" | cmp -s - "$asked"; }

# --- what it sets
run "$launch" --emulate nvidia:2,amd/gfx90a:1 -n 3 "$app"
ok "the list" around_has HCOMM_EMULATE=nvidia:2,amd/gfx90a:1
ok "the emulated drivers come first" around_has \
    "LD_LIBRARY_PATH=$tree/emulator/nvidia:$tree/emulator/amd:$outer_path"
ok "both are exported" asked_for --mca coll hcomm -x HCOMM_EMULATE \
    -x LD_LIBRARY_PATH -n 3 "$app"
ok "it says so once" test "$(grep -c 'emulated' "$err")" -eq 1
run "$launch" --emulate=rocm:1 -n 1 "$app"
ok "only the vendors named, under the name that counts" around_has \
    "LD_LIBRARY_PATH=$tree/emulator/amd:$outer_path"
ok "an alias becomes the vendor" around_has HCOMM_EMULATE=amd:1
run "$launch" --emulate ze/xe-hpg:1,cuda:1 -n 1 "$app"
ok "Intel's, with another's" around_has HCOMM_EMULATE=intel/xe-hpg:1,nvidia:1
ok "in the order of vendors" around_has \
    "LD_LIBRARY_PATH=$tree/emulator/nvidia:$tree/emulator/intel:$outer_path"
HCOMM_EMULATE=cuda:1 run "$launch" "$app"
ok "HCOMM_EMULATE does the same" around_has HCOMM_EMULATE=nvidia:1
run "$launch" --emulate nvidia:1 -x LD_LIBRARY_PATH=/mine "$app"
ok "the user's -x LD_LIBRARY_PATH comes behind" asked_for --mca coll hcomm \
    -x HCOMM_EMULATE -x "LD_LIBRARY_PATH=$tree/emulator/nvidia:/mine" "$app"
run "$launch" --emulate nvidia:1 -n 1 "$app" : -n 1 "$app"
ok "each of several programs" asked_for --mca coll hcomm -x HCOMM_EMULATE \
    -x LD_LIBRARY_PATH -n 1 "$app" : -x HCOMM_EMULATE -x LD_LIBRARY_PATH \
    -n 1 "$app"

for list in nvidia nvidia: nvidia:0 nvidia:x nvidia:-1 nvidia:1000 '' "," \
    "nvidia:1," intle:1 intel nvidia/gfx90a:1 amd/sm_90:1 intel/gfx90a:1 nvidia/sm_:1 "nvidia:1 amd:1"; do
    run "$launch" --emulate "$list" "$app"
    ok "--emulate '$list' is refused" both exited 2 says '^hcc-launch: --emulate'
done
run "$launch" --emulate nvida:1 "$app"
ok "the nearest vendor is named" says 'did you mean nvidia?'
run "$launch" --emulate
ok "--emulate alone" both exited 2 says 'wants devices'
run "$launch" --emulate apple:1 "$app"
ok "or all of them" says 'there are nvidia, amd and intel'
mv "$tree/emulator/amd" "$work/away"
run "$launch" --emulate amd:1 "$app"
ok "an emulator that isn't there" both exited 2 says 'hcomm-emulator'
mv "$work/away" "$tree/emulator/amd"

# --- which programs
can() { # can WHAT FILE
    run "$launch" --emulate nvidia:1,amd:1,intel:1 "$2"
    ok "$1: runs" exited 0
}
cannot() { # cannot WHAT FILE REASON
    run "$launch" --emulate nvidia:1,amd:1,intel:1 "$2"
    ok "$1: refused" both exited 2 says "$3"
}
broken() {
    run "$launch" --emulate nvidia:1,amd:1,intel:1 "$2"
    ok "$1: can't be started" both exited 126 says "$3"
}

if ! cc --version >/dev/null 2>&1 || ! grep -q 'define HAVE_LIBELF 1' "$builddir/config.h"; then
    skip "which programs are refused" "needs cc and libelf"
    finish
fi
cd "$work" || exit 99
build() { # build FILE OPTIONS..., source on stdin
    file=$1
    shift
    cc -x c - -x none -o "$file" "$@" >cc.log 2>&1 || sed 's/^/# /' cc.log
}
library() { # library NAME FUNCTION...: a stand-in with that soname
    name=$1
    shift
    for function in "$@"; do echo "void $function(void) {}"; done |
        build "lib/$name" -shared -fPIC -Wl,-soname,"$name"
}
mkdir lib
main='int main(void) { return 0; }'
library libcudart.so.13 cudaMalloc __cudaRegisterFunction __cudaRegisterFatBinary
library libcudart.so.10.2 cudaMalloc
library libcublas.so.13 cublasCreate
library libamdhip64.so.5 hipMalloc __hipRegisterFunction
library libze_loader.so.1 zeInit
library libsycl.so.8 sycl

echo "$main" | build plain
can "a plain program" ./plain
printf '#!/no/such/interpreter\n' >script
chmod +x script
can "a script is not looked into" ./script
echo "$main" | build plain.stripped -s
can "a stripped program" ./plain.stripped
if echo "$main" | cc -x c - -static -o static 2>/dev/null; then
    cannot "linked statically" ./static 'linked statically'
else
    skip "linked statically: refused" "no static libc"
fi

uses_cudart='void cudaMalloc(void); int main(void) { cudaMalloc(); return 0; }'
echo "$uses_cudart" | build rt lib/libcudart.so.13
can "the shared CUDA runtime" ./rt
echo 'void __cudaRegisterFatBinary(void);
    __attribute__((section(".nv_fatbin"))) char fat[9] = "x";
    int main(void) { __cudaRegisterFatBinary(); return 0; }' |
    build rt_fat lib/libcudart.so.13
can "a fat binary without a kernel" ./rt_fat
echo 'void __cudaRegisterFunction(void);
    int main(void) { __cudaRegisterFunction(); return 0; }' |
    build rt_kernel lib/libcudart.so.13
cannot "CUDA kernels" ./rt_kernel 'CUDA kernels of its own'
strip rt_kernel
cannot "CUDA kernels, stripped" ./rt_kernel 'CUDA kernels of its own'
echo "$uses_cudart" | build rt10 lib/libcudart.so.10.2
cannot "a CUDA runtime too old" ./rt10 'libcudart.so.10.2'
echo 'void cublasCreate(void); int main(void) { cublasCreate(); return 0; }' |
    build blas lib/libcublas.so.13
cannot "a library with kernels" ./blas 'libcublas'
echo "$uses_cudart" | build rt_rpath lib/libcudart.so.13 \
    -Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib'
cannot "an RPATH that wins over LD_LIBRARY_PATH" ./rt_rpath 'RPATH'
echo "$uses_cudart" | build rt_runpath lib/libcudart.so.13 \
    -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib'
can "a RUNPATH does not" ./rt_runpath

inside='void cudaMalloc(void) {}
    const char *const texts[] = {"cudaErrorMissingConfiguration", "libcuda.so.1"};
    int main(int n, char **v) { (void)v; cudaMalloc(); return texts[n & 1][0] == 0; }'
echo "$inside" | build inside
cannot "the CUDA runtime inside" ./inside 'cudart shared'
strip inside
cannot "the CUDA runtime inside, stripped" ./inside 'cudart shared'

uses_ze='void zeInit(void); int main(void) { zeInit(); return 0; }'
echo "$uses_ze" | build ze lib/libze_loader.so.1
can "Level Zero's loader, below which the driver is ours" ./ze
touch lib/libze_intel_gpu.so.1
echo "$uses_ze" | build ze_rpath lib/libze_loader.so.1 \
    -Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib'
cannot "an RPATH with Intel's driver in it" ./ze_rpath \
    'RPATH .* finds the vendor.s libze_intel_gpu.so.1'
run "$launch" --emulate nvidia:1 ./ze_rpath
ok "which is its own affair when Intel's are real" exited 0
echo 'void sycl(void); int main(void) { sycl(); return 0; }' |
    build sycl lib/libsycl.so.8
cannot "SYCL, whose kernels are inside" ./sycl 'libsycl.so.8'

echo '__attribute__((section(".hip_fatbin"))) char fat[9] = "x";'"$main" |
    build hip_section
cannot "HIP kernels by their section" ./hip_section 'HIP kernels of its own'
echo 'void __hipRegisterFunction(void);
    int main(void) { __hipRegisterFunction(); return 0; }' |
    build hip_kernel lib/libamdhip64.so.5
cannot "HIP kernels by their registration" ./hip_kernel 'HIP kernels of its own'
echo 'void hipMalloc(void); int main(void) { hipMalloc(); return 0; }' |
    build hip lib/libamdhip64.so.5
can "HIP without kernels" ./hip

echo "$main" | build object.o -c
chmod +x object.o
broken "an object file" ./object.o 'object file'
bytes=$(wc -c <plain)
for share in 1 30 63 64 100 1000 $((bytes / 3)) $((bytes / 2)); do
    head -c "$share" plain >shortened
    chmod +x shortened
    broken "cut after $share bytes" ./shortened '^hcc-launch: .*shortened'
done
: >empty
head -c 5000 /dev/urandom >garbage
{ head -c 16 plain; head -c 5000 /dev/urandom; } >garbage_elf
chmod +x empty garbage garbage_elf
broken "an empty file" ./empty 'neither'
broken "garbage" ./garbage 'neither'
broken "garbage behind an ELF's first bytes" ./garbage_elf 'started'
cp plain other
printf '\377\000' | dd of=other bs=1 seek=18 conv=notrunc 2>/dev/null
broken "another machine's program" ./other 'another kind of machine'
# Sections are no must: their table and its count are zeroed.
cp plain sectionless
printf '\0\0\0\0\0\0\0\0' | dd of=sectionless bs=1 seek=40 conv=notrunc 2>/dev/null
printf '\0\0\0\0\0\0' | dd of=sectionless bs=1 seek=58 conv=notrunc 2>/dev/null
[ "$(./plain; echo $?)" = "$(./sectionless; echo $?)" ] &&
    can "a program without sections" ./sectionless

# --- nvcc's own
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -x "$nvcc" ]; then
    skip "programs of nvcc's" "no nvcc"
    finish
fi
cat >kernel.cu <<'EOF'
__global__ void add(float *a) { a[threadIdx.x] += 1; }
int main() { float *a; cudaMalloc(&a, 4); add<<<1, 1>>>(a); return 0; }
EOF
cat >none.cu <<'EOF'
int main() { float *a; return cudaMalloc(&a, 4) != cudaSuccess; }
EOF
for source in kernel none; do
    for runtime in static shared; do
        "$nvcc" -cudart $runtime $source.cu -o ${source}_$runtime >nvcc.log 2>&1 ||
            sed 's/^/# /' nvcc.log
    done
done
soname=$(readelf -d none_shared | sed -n 's/.*\[\(libcudart[^]]*\)\].*/\1/p')
touch "$tree/emulator/nvidia/$soname"
can "nvcc -cudart shared, no kernel" ./none_shared
cannot "nvcc -cudart shared, a kernel" ./kernel_shared 'CUDA kernels of its own'
cannot "nvcc, no kernel" ./none_static 'cudart shared'
cannot "nvcc, a kernel" ./kernel_static 'cudart shared'
strip none_static
cannot "nvcc, no kernel, stripped" ./none_static 'cudart shared'
finish
