// Version, build form and compiler facts.
//
// df has two build forms of one header set. Header-only (the default): every definition is `inline`. Compiled
// (`DF_COMPILED`, set by the CMake target df::compiled): users see declarations of everything that is no template, and
// the one file that defines `DF_SOURCE` holds the definitions. The inline namespace keeps the two forms apart.
#pragma once

#define DF_VERSION_MAJOR 0
#define DF_VERSION_MINOR 1

#if defined(DF_COMPILED)
#define DF_ABI v0_compiled
#if defined(DF_SOURCE)
#define DF_IMPL 1
#else
#define DF_IMPL 0
#endif
#define DF_FN
#define DF_RECORD constexpr
#else
#define DF_ABI v0
#define DF_IMPL 1
#define DF_FN inline
#define DF_RECORD inline constexpr
#endif

namespace df::inline DF_ABI {}
