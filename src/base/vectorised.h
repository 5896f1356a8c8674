#pragma once

// The library is built for any x86-64 and picks wider vectors when it runs: the bits of a result
// depend on the processor, as those of oneDNN do. (Not under the thread sanitizer, where the choice
// would come before its runtime is up; nor with clang, which cannot do this for templates.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define SIEVE_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SIEVE_VECTORISED
#endif

// For what such a function calls: only inside it is it built for the processor.
#define SIEVE_INLINE inline __attribute__((always_inline))
