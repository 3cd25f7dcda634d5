// What including df costs before anything is used.
#include <df/df.hpp>

int main() {}
