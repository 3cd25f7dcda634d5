// The passes in order. The list reads aloud.
#pragma once
#include <df/passes/pass.hpp>

namespace df::inline DF_ABI::pass {
/// What every graph goes through before it is planned.
std::span<const pass_def> pipeline();
}  // namespace df::inline DF_ABI::pass

#if DF_IMPL
#include <df/passes/algebra.hpp>
#include <df/passes/differentiate.hpp>
#include <df/passes/inline.hpp>
#include <df/passes/prune.hpp>
#include <df/passes/vectorize.hpp>

namespace df::inline DF_ABI::pass {
DF_FN std::span<const pass_def> pipeline() {
    static const pass_def list[] = {
        {"prune", "what nobody needs is not computed", prune},
        {"inline", "calls are macros", inline_calls},
        {"prune", "what inlining showed to be unused goes too", prune},
        {"algebra", "derivatives of simpler graphs are simpler", algebra},
        {"differentiate", "jvp and vjp nodes become ordinary ones", differentiate},
        {"inline", "derivatives of the user's own have been taken", inline_custom},
        {"prune", "derivatives nobody asked for go", prune},
        {"vectorize", "parallel loops become whole blocks", vectorize},
        {"expand", "named compositions become their parts", expand},
        {"algebra", "vectorizing and differentiating left things to simplify", algebra},
        {"prune", "what merging left unused goes", prune},
    };
    return list;
}
}  // namespace df::inline DF_ABI::pass
#endif
