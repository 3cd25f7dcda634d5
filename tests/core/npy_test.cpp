// .npy files: every header NumPy writes is read, everything else is an error that names the file.
#include <df/df.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

namespace {
using num = df::tensor<double>;

// A file in the temporary folder, gone at the end of the test.
struct scratch {
    std::filesystem::path path;
    explicit scratch(const std::string& name) : path(std::filesystem::temp_directory_path() / ("df_npy_test_" + std::to_string(std::random_device{}()) + name)) {}
    ~scratch() { std::filesystem::remove(path); }
    std::string text() const { return path.string(); }
    const scratch& write(const std::string& bytes) const {
        std::ofstream(path, std::ios::binary) << bytes;
        return *this;
    }
};
std::string npy(const std::string& header, const std::string& data, int version = 1) {
    std::string r = "\x93NUMPY";
    r += static_cast<char>(version);
    r += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) r += static_cast<char>(header.size() >> (8 * i) & 255);
    return r + header + data;
}
std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
}
template <class T> std::string bytes(std::initializer_list<T> values, bool swapped = false) {
    std::string r;
    for (T v : values) {
        char b[sizeof v];
        std::memcpy(b, &v, sizeof v);
        if (swapped) std::reverse(b, b + sizeof v);
        r.append(b, sizeof v);
    }
    return r;
}
}  // namespace

TEST_CASE("a saved tensor is loaded again, of every type and rank") {
    const scratch file(".npy");
    const auto check = [&](const auto& x) {
        using T = df::element_t<decltype(x)>;
        df::save_npy(file.text(), x);
        const auto y = df::load_npy<T>(file.text());
        CHECK(y.shape() == x.shape());
        CHECK(y.to_vector() == x.to_vector());
        const auto all = df_test::read_text(file.text());
        const auto start = all.find('\n') + 1;
        CHECK(start % 64 == 0);
        CHECK(all.size() == start + x.to_vector().size() * sizeof(T));
    };
    check(num{{1, 2.5}, {-3, 4}});
    check(num(7.0));
    check(num(std::vector<double>{}, {0, 3}));
    check(df::tensor<float>{1, 2, 3});
    check(df::tensor<std::int32_t>{{{1, -2}, {3, 4}}});
    check(df::tensor<std::int64_t>{1, INT64_MIN});
    check(df::tensor<std::uint8_t>{0, 255});
    check(df::tensor<bool>{true, false, true});
    const double raw[] = {1, 2, 3, 4, 5, 6};
    check(df::from_memory(raw, {2, 3}, {1, 2}));   // a strided view
}
TEST_CASE("versions 1 to 3, C and Fortran order, both byte orders") {
    const scratch file(".npy");
    for (int version : {1, 2, 3}) {
        file.write(npy(header("<f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}), version));
        CHECK(df::to_string(df::load_npy<double>(file.text())) == "[[1. 2. 3.]\n [4. 5. 6.]]");
    }
    file.write(npy(header("<f8", "(2, 3)", true), bytes<double>({1, 2, 3, 4, 5, 6})));
    CHECK(df::to_string(df::load_npy<double>(file.text())) == "[[1. 3. 5.]\n [2. 4. 6.]]");
    file.write(npy(header(">f4", "(3,)"), bytes<float>({1, 2, 3}, true)));
    CHECK(df::load_npy<float>(file.text()).to_vector() == std::vector<float>{1, 2, 3});
    file.write(npy(header(">i8", "(2,)", true), bytes<std::int64_t>({-1, 300}, true)));
    CHECK(df::load_npy<std::int64_t>(file.text()).to_vector() == std::vector<std::int64_t>{-1, 300});
    file.write(npy("{\"shape\":(2L,),\"descr\":\"=i4\",\"fortran_order\":False}", bytes<std::int32_t>({1, 2})));
    CHECK(df::load_npy<std::int32_t>(file.text()).to_vector() == std::vector<std::int32_t>{1, 2});
    file.write(npy(header("|b1", "(3,)"), std::string("\x02\x00\x01", 3)));
    CHECK(df::load_npy<bool>(file.text()).to_vector() == std::vector<bool>{true, false, true});
    file.write(npy(header("|u1", "()"), "\x07 and what follows is not read"));
    CHECK(df::load_npy<std::uint8_t>(file.text()).item() == 7);
}
TEST_CASE("another element type is a dtype_error that says what to load") {
    const scratch file(".npy");
    file.write(npy(header("<f4", "(1,)"), bytes<float>({1})));
    DF_THROWS_WITH(df::load_npy<double>(file.text()), df::dtype_error, file.text(), "'<f4'", "double ('<f8')", "df::load_npy<float>", "npy_test.cpp");
    DF_THROWS_WITH(df::load_npy<std::int32_t>(file.text()), df::dtype_error, "df::load_npy<float>");
    file.write(npy(header("<i4", "(1,)"), bytes<std::int32_t>({1})));
    DF_THROWS_WITH(df::load_npy<float>(file.text()), df::dtype_error, "df::load_npy<std::int32_t>");
    for (const char* descr : {"<c16", "<f2", "|S5", "<M8[s]", "|O", "<i2", "<U3", "f", "", "x"}) {
        file.write(npy(header(descr, "(1,)"), std::string(64, '\0')));
        DF_THROWS_WITH(df::load_npy<double>(file.text()), df::dtype_error, file.text(), "'" + std::string(descr) + "'", "save it as");
    }
    file.write(npy("{'descr': [('a', '<f8', (2,)), ('b', '<i4')], 'fortran_order': False, 'shape': (1,), }", std::string(64, '\0')));
    DF_THROWS_WITH(df::load_npy<double>(file.text()), df::dtype_error, "[('a', '<f8', (2,)), ('b', '<i4')]");
}
TEST_CASE("broken files are io_errors that name the file and what is wrong") {
    const scratch file(".npy");
    const auto says = [&](const std::string& content, const std::string& what) {
        file.write(content);
        DF_THROWS_WITH(df::load_npy<double>(file.text()), df::io_error, "load_npy", file.text(), what, "npy_test.cpp");
    };
    const auto one = bytes<double>({1});
    says("", "truncated");
    says("GIF89a and so on", "is no .npy file");
    says(npy(header("<f8", "(1,)"), one, 9), "the format version 9");
    says(npy(header("<f8", "(1,)"), one, 0), "the format version 0");
    says(npy(header("<f8", "(2,)"), one), "is truncated: [2] of double is announced, 8 bytes are there");
    says(npy(header("<f8", "(1000000000, 1000000000, 1000000000)"), one), "is truncated");
    says(npy(header("<f8", "(99999999999999999999,)"), one), "a size is too large");
    says(npy(header("<f8", "(-1,)"), one), "a size is no number");
    says(npy(header("<f8", "1"), one), "'(' is missing");
    says(npy(header("<f8", "(1 1)"), one), "a comma is missing");
    says(npy(header("<f8", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), one), "more axes than the 16");
    says(npy("{'descr': '<f8', 'shape': (1,)}", one), "is missing");
    says(npy("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,)}", one), "neither True nor False");
    says(npy("{'descr': '<f8', 'order': False, 'shape': (1,)}", one), "an unknown key");
    says(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} + 1", one), "something follows");
    says(npy("{'descr': '<f8", one), "a quote is open");
    says(npy("{'descr': [('a'", one), "a bracket is open");
    says(npy("", one), "'{' is missing");
    says(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12) + one, "it claims 2147483647 bytes");
    says(npy(header("<f8", "()"), ""), "is truncated");
    const auto whole = npy(header("<f8", "(2, 2)"), bytes<double>({1, 2, 3, 4}));
    for (std::size_t n = 0; n < whole.size(); ++n) says(whole.substr(0, n), "truncated");
    DF_THROWS_WITH(df::load_npy<double>("/no/such/file.npy"), df::io_error, "/no/such/file.npy", "No such file");
    DF_THROWS_WITH(df::load_npy<double>(std::filesystem::temp_directory_path().string()), df::io_error, "Is a directory");
}
TEST_CASE("a random change of a file's bytes gives a tensor or an error, never a crash") {
    const scratch file(".npy");
    std::mt19937 random(7);
    const auto whole = npy(header("<f8", "(2, 3)"), bytes<double>({1, 2, 3, 4, 5, 6}));
    int loaded = 0;
    const int runs = df_test::runs(2000, 200000);
    for (int k = 0; k < runs; ++k) {
        auto text = whole;
        for (int changes = 1 + static_cast<int>(random() % 4); changes > 0; --changes) {
            const auto at = random() % text.size();
            switch (random() % 4) {
                case 0: text[at] = static_cast<char>(random()); break;
                case 1: text[at] = static_cast<char>(text[at] ^ 1 << random() % 8); break;
                case 2: text.erase(at, 1 + random() % 5); break;
                default: text.insert(at, 1 + random() % 3, "0123456789(),'{} "[random() % 17]);
            }
            if (text.empty()) text = "?";
        }
        file.write(text);
        try {
            const auto elements = df::load_npy<double>(file.text()).to_vector().size();   // outside of CHECK, which catches
            CHECK(elements * 8 <= text.size());
            ++loaded;
        } catch (const df::io_error&) {
        } catch (const df::dtype_error&) {
        }
    }
    CHECK(loaded > 0);
    CHECK(loaded < runs);
}
TEST_CASE("what cannot be saved leaves the old file") {
    const scratch file(".npy");
    df::save_npy(file.text(), num{1, 2});
    DF_THROWS_WITH(df::save_npy("/no/such/folder/x.npy", num{1}), df::io_error, "save_npy", "/no/such/folder/x.npy", "npy_test.cpp");
    DF_THROWS_WITH(df::function([&](num x) {
        df::save_npy(file.text(), x);
        return x;
    })(num{3}), df::trace_error, "save_npy", "npy_test.cpp");
    DF_THROWS_WITH(df::save_npy(file.text(), num()), df::trace_error, "save_npy", "empty");
    CHECK(df::load_npy<double>(file.text()).to_vector() == std::vector<double>{1, 2});
    for (auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path()))
        CHECK(entry.path().string().find(file.text() + ".part") == std::string::npos);
}
