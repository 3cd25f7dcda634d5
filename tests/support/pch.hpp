// Read once for all test programs; a test still includes what it uses.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/golden.hpp>
#include <support/near.hpp>
