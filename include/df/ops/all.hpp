// Every family of ops.
#pragma once
#include <df/ops/arith.hpp>
#include <df/ops/contract.hpp>
#include <df/ops/control.hpp>
#include <df/ops/cut.hpp>
#include <df/ops/index.hpp>
#include <df/ops/layout.hpp>
#include <df/ops/math.hpp>
#include <df/ops/product.hpp>
#include <df/ops/reduce.hpp>
#include <df/ops/reshape.hpp>
#include <df/ops/subscript.hpp>
