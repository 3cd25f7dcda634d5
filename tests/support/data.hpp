// Where the tests' data files are, and whether the long runs are asked for.
#pragma once

#include <string>

namespace df_test {

// data_path("reference/matmul.npy"): a file below tests/.
std::string data_path(const std::string& name);

// All bytes of a file.
std::string read_text(const std::string& path);

// True under `test.sh --all`: random runs may then take minutes.
bool long_runs();

// runs(50, 5000): how often to repeat a random test.
inline int runs(int usual, int all) { return long_runs() ? all : usual; }

}  // namespace df_test
