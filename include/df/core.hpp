// Everything of df but a backend.
#pragma once
#include <df/compile.hpp>
#include <df/function.hpp>
#include <df/ir/print.hpp>
#include <df/ops/all.hpp>
#include <df/pfor.hpp>
#include <df/transform.hpp>
