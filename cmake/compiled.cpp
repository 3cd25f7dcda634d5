// The one source file of df::compiled: every definition that the headers leave out under DF_COMPILED.
#define DF_SOURCE
#include <df/df.hpp>
