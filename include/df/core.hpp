// Everything of df but a backend.
#pragma once
#include <df/check_grad.hpp>
#include <df/compile.hpp>
#include <df/function.hpp>
#include <df/ir/foreign.hpp>
#include <df/ir/print.hpp>
#include <df/ir/show.hpp>
#include <df/npy.hpp>
#include <df/ops/all.hpp>
#include <df/ops/list.hpp>
#include <df/pfor.hpp>
#include <df/plan/schedule.hpp>
#include <df/runtime/threads.hpp>
#include <df/transform.hpp>
