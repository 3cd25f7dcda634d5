// NumPy's .npy files: reading any version and order, writing version 1.
#pragma once
#include <string>

#include <df/core/array.hpp>
#include <df/core/error.hpp>

namespace df::inline DF_ABI::core {

/// The array in a .npy file of elements `t`. Versions 1 to 3, C and Fortran order, either byte order. Throws dtype_error
/// when the file holds another element type, io_error when it cannot be read or is no whole .npy file.
array read_npy(const std::string& path, dtype t, place at);
/// Writes a file of version 1, in C order; an older file of that name is replaced only when all is written.
void write_npy(const std::string& path, const array& a, place at);

}  // namespace df::inline DF_ABI::core

#if DF_IMPL
#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace df::inline DF_ABI::core {
namespace detail {
struct close_file {
    void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, close_file>;
constexpr char little_or_big = std::endian::native == std::endian::little ? '<' : '>';

inline std::string npy_code(dtype t) {   // "f8": kind and bytes
    constexpr char kind[] = {'b', 'u', 'i', 'i', 'f', 'f'};
    return kind[static_cast<int>(t)] + std::to_string(size_of(t));
}

// Reads one file; every complaint names it.
class npy_reader {
public:
    npy_reader(const std::string& path, place at) : path_(path), at_(at), f_(std::fopen(path.c_str(), "rb")) {
        if (!f_) fail(std::string("cannot be opened: ") + std::strerror(errno));
    }
    array read(dtype want) {
        const auto text = header();
        parse(text);
        const auto code = npy_code(want);
        const bool known = descr_.size() > 1 && std::strchr("<>=|", descr_[0]);
        if (!known || descr_.substr(1) != code)
            throw dtype_error("load_npy: " + path_ + " holds '" + descr_ + "', not " + name_of(want) + " ('" + little_or_big + code + "'); " + advice(), at_);
        const auto rest = left();
        const bool empty = std::find(dims_.begin(), dims_.end(), 0) != dims_.end();
        std::size_t bytes = empty ? 0 : size_of(want);
        for (auto d : dims_) {
            if (bytes && static_cast<std::size_t>(d) > rest / bytes)
                fail("is truncated: " + to_text(dims_) + " of " + name_of(want) + " is announced, " + std::to_string(rest) + " bytes are there");
            bytes *= static_cast<std::size_t>(d);
        }
        if (bytes > rest) fail("is truncated: its element is missing");
        array a(want, dims_);
        if (fortran_) {
            std::int64_t k = 1;
            for (int i = 0; i < dims_.n; ++i) a.form.strides.d[i] = k, k *= dims_.d[i];
        }
        take(a.raw(), bytes, "the elements");
        if (descr_[0] != little_or_big && (descr_[0] == '<' || descr_[0] == '>'))
            for (std::size_t i = 0; i < bytes; i += size_of(want)) std::reverse(a.raw() + i, a.raw() + i + size_of(want));
        if (want == dtype::boolean)
            for (std::size_t i = 0; i < bytes; ++i) a.raw()[i] = std::byte{a.raw()[i] != std::byte{0}};
        return packed(a);
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw io_error("load_npy: " + path_ + " " + what, at_); }
    [[noreturn]] void bad_header(const char* what) const { fail(std::string("has a broken header: ") + what); }
    std::string advice() const {
        for (auto t : {dtype::boolean, dtype::uint8, dtype::int32, dtype::int64, dtype::float32, dtype::float64})
            if (descr_.size() > 1 && descr_.substr(1) == npy_code(t))
                return std::string("write df::load_npy<") + (t == dtype::uint8 || is_integer(t) ? "std::" : "") + name_of(t) + (is_integer(t) ? "_t" : "") + ">, then df::cast";
        return "save it as bool, uint8, int32, int64, float or double";
    }
    void take(void* to, std::size_t n, const char* what) {
        if (std::fread(to, 1, n, f_.get()) == n) return;
        if (std::ferror(f_.get())) fail(std::string("cannot be read: ") + std::strerror(errno));
        fail(std::string("is truncated: it ends inside ") + what);
    }
    std::size_t left() {
        const auto here = std::ftell(f_.get());
        if (here < 0 || std::fseek(f_.get(), 0, SEEK_END) != 0) fail("cannot be read: it is no plain file");
        const auto end = std::ftell(f_.get());
        if (end < here || std::fseek(f_.get(), here, SEEK_SET) != 0) fail("cannot be read: it is no plain file");
        return static_cast<std::size_t>(end - here);
    }
    std::string header() {
        unsigned char start[8], size[4] = {};
        take(start, 8, "the header");
        if (std::memcmp(start, "\x93NUMPY", 6) != 0) fail("is no .npy file: it does not begin with \\x93NUMPY");
        const int version = start[6];
        if (version < 1 || version > 3) fail("has the format version " + std::to_string(version) + "; 1, 2 and 3 are known");
        take(size, version == 1 ? 2 : 4, "the header");
        const auto n = size[0] + size[1] * std::size_t{256} + size[2] * std::size_t{65536} + size[3] * std::size_t{16777216};
        if (n > 65536) fail("has a broken header: it claims " + std::to_string(n) + " bytes");
        std::string text(n, ' ');
        take(text.data(), n, "the header");
        return text;
    }
    // {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
    void parse(const std::string& text) {
        p_ = text.c_str();
        bool seen[3] = {};
        expect('{');
        while (!accept('}')) {
            const auto key = word();
            expect(':');
            if (key == "descr") seen[0] = true, descr_ = description();
            else if (key == "fortran_order") seen[1] = true, fortran_ = truth();
            else if (key == "shape") seen[2] = true, dims_ = numbers();
            else bad_header("an unknown key");
            if (!accept(',') && *p_ != '}') bad_header("a comma is missing");
        }
        space();
        if (p_ != text.c_str() + text.size()) bad_header("something follows the dictionary");
        if (!seen[0] || !seen[1] || !seen[2]) bad_header("descr, fortran_order or shape is missing");
    }
    void space() { while (std::isspace(static_cast<unsigned char>(*p_))) ++p_; }
    bool accept(char c) {
        space();
        if (*p_ != c) return false;
        ++p_;
        space();
        return true;
    }
    void expect(char c) {
        if (!accept(c)) bad_header((std::string("'") + c + "' is missing").c_str());
    }
    std::string word() {
        space();
        const char quote = *p_;
        if (quote != '\'' && quote != '"') bad_header("a quoted word is missing");
        const char* end = std::strchr(++p_, quote);
        if (!end) bad_header("a quote is open");
        std::string r(p_, end);
        p_ = end + 1;
        space();
        return r;
    }
    std::string description() {
        space();
        if (*p_ == '\'' || *p_ == '"') return word();
        const char* from = p_;   // a record type: a list, brackets inside brackets
        int depth = 0;
        do {
            if (!*p_) bad_header("a bracket is open");
            depth += (*p_ == '[' || *p_ == '(') - (*p_ == ']' || *p_ == ')');
            ++p_;
        } while (depth > 0);
        return std::string(from, p_);
    }
    bool truth() {
        for (const std::string& s : {std::string("True"), std::string("False")})
            if (std::strncmp(p_, s.c_str(), s.size()) == 0) {
                p_ += s.size();
                space();
                return s == "True";
            }
        bad_header("fortran_order is neither True nor False");
    }
    shape numbers() {
        shape s;
        expect('(');
        while (!accept(')')) {
            if (!std::isdigit(static_cast<unsigned char>(*p_))) bad_header("a size is no number");
            std::int64_t n = 0;
            for (; std::isdigit(static_cast<unsigned char>(*p_)); ++p_) {
                if (n > INT64_MAX / 10 - 1) bad_header("a size is too large");
                n = n * 10 + (*p_ - '0');
            }
            if (*p_ == 'L') ++p_;   // Python 2
            if (s.n == max_rank) fail("has more axes than the " + std::to_string(max_rank) + " a tensor may have");
            s.push_back(n);
            if (!accept(',') && *p_ != ')') bad_header("a comma is missing");
        }
        return s;
    }
    std::string path_;
    place at_;
    file f_;
    const char* p_ = "";
    std::string descr_;
    bool fortran_ = false;
    shape dims_;
};
}  // namespace detail

DF_FN array read_npy(const std::string& path, dtype t, place at) { return detail::npy_reader(path, at).read(t); }
DF_FN void write_npy(const std::string& path, const array& given, place at) {
    const auto a = packed(given);
    const auto code = detail::npy_code(a.form.element);
    std::string text = std::string("{'descr': '") + (size_of(a.form.element) == 1 ? '|' : detail::little_or_big) + code + "', 'fortran_order': False, 'shape': (";
    for (auto d : a.form.dims) text += std::to_string(d) + ", ";
    if (a.form.dims.n > 1) text.resize(text.size() - 2);
    else if (a.form.dims.n == 1) text.pop_back();
    text += "), }";
    text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 10, ' ');   // the elements begin at a multiple of 64
    text.back() = '\n';
    text.insert(0, {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)});

    // Into a file beside it, which then takes its name: a failure leaves what was there.
    std::string beside;
    detail::file f;
    const auto check = [&](bool fine, const char* what) {
        if (fine) return;
        const std::string why = std::strerror(errno);
        f.reset();
        std::remove(beside.c_str());
        throw io_error("save_npy: " + path + " " + what + ": " + why, at);
    };
    for (int k = 0; !f && k < 1000; ++k) {
        beside = path + ".part" + std::to_string(k);
        f.reset(std::fopen(beside.c_str(), "wbx"));
        if (!f && errno != EEXIST) break;
    }
    if (!f) throw io_error("save_npy: " + path + " cannot be opened for writing: " + std::strerror(errno), at);
    check(std::fwrite(text.data(), 1, text.size(), f.get()) == text.size(), "cannot be written");
    check(std::fwrite(a.raw(), 1, a.form.bytes(), f.get()) == a.form.bytes(), "cannot be written");
    check(std::fclose(f.release()) == 0, "cannot be written");
    check(std::rename(beside.c_str(), path.c_str()) == 0, "cannot be replaced");
}
}  // namespace df::inline DF_ABI::core
#endif
