// df: trace, vectorize, differentiate and run lambdas on tensors. This file is core + the CPU backend.
#pragma once
#include <df/core.hpp>
#include <df/eigen.hpp>
