// XOFM_CLONES before a function compiles it twice, for any x86-64 and for one with AVX2; the program takes the better
// one when it starts. Fused multiply-add stays out, so that both give the same bits. Elsewhere, and under sanitizers
// (which start later than the choice is made), it is empty.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define XOFM_CLONES [[gnu::target_clones("default", "avx2")]]
#else
#define XOFM_CLONES
#endif
