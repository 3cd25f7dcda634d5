// The table of records and columns, and the list of all records.
#include <laws/law.hpp>
#include <support/catch.hpp>
#include <support/data.hpp>
#include <support/golden.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <df/ops/control.hpp>
#include <df/ops/list.hpp>
#include <df/plan/schedule.hpp>

using namespace df;
using namespace df_test;

namespace {

// Records that passes write or expand: their rules are the passes.
const std::set<const ir::op_def*> structure{&op::call, &op::loop, &op::jvp, &op::vjp, &op::lane_in, &op::lane_out, &op::constant};

std::string axes_of(const ir::op_def& op) { return op.axes ? "labels" : op.compose ? "parts" : ""; }
std::string derivative_of(const ir::op_def& op) {
    if (op.no_derivative) return "zero";
    if (op.partials) return "partials";
    if (op.weights) return "weights";
    if (op.transpose) return op.jointly_linear ? "linear" : "multilinear";
    if (op.vjp && op.jvp) return "vjp jvp";
    if (op.vjp || op.jvp) return "";
    return op.compose ? "parts" : "";
}
std::string runs_by(const ir::op_def& op) {
    std::string r;
    for (auto& [is, name] : {std::pair{op.kernel != nullptr, "kernel"}, {op.view != nullptr, "view"}, {op.compose != nullptr, "parts"}})
        if (is) r += (r.empty() ? "" : " ") + std::string(name);
    return r;
}
// Along what its samples can be split.
std::string splits_of(const ir::op_def& op) {
    if (op.compose && !op.axes) return "parts";
    std::set<std::string> roles;
    for (auto& s : samples_of(op)) {
        const auto g = graph_of(s.types, [&](const ir::values& x) { return s(x); });
        for (std::size_t n = 0; n < g->nodes.size(); ++n) {
            if (g->nodes[n].op != &op) continue;
            const auto column = ir::axes_of(*g, g->nodes[n]);
            for (const int l : plan::splittable(*g, static_cast<int>(n))) {
                constexpr const char* names[] = {"map", "reduce", "scan", "window", "opaque"};
                roles.insert(names[static_cast<int>(column.roles[static_cast<std::size_t>(l)])]);
            }
        }
    }
    std::string r;
    for (auto& x : roles) r += (r.empty() ? "" : " ") + x;
    return r;
}
std::string cell(const std::string& text, std::size_t width) { return (text.empty() ? "-" : text) + std::string(width > text.size() + text.empty() ? width - text.size() - text.empty() : 1, ' '); }

}  // namespace

TEST_CASE("the table of records and columns, with at most ten empty cells") {
    // Why a cell is empty, by record and column.
    const std::map<std::string, std::string> reasons{};
    std::string table = cell("record", 24) + cell("shape", 7) + cell("axes", 8) + cell("derivative", 13) + cell("runs by", 14) + cell("blocks along", 16) + "samples\n";
    std::string empty;
    int empties = 0;
    for (auto* op : op::all_records) {
        if (structure.count(op)) continue;
        const auto samples = samples_of(*op).size();
        const std::pair<const char*, std::string> cells[] = {{"shape", op->infer ? "rule" : ""}, {"axes", axes_of(*op)}, {"derivative", derivative_of(*op)}, {"runs by", runs_by(*op)},
                                                            {"blocks along", splits_of(*op)}, {"samples", samples ? std::to_string(samples) : ""}};
        constexpr std::size_t widths[] = {7, 8, 13, 14, 16, 0};
        std::string line = cell(op->name, 24);
        for (std::size_t k = 0; k < std::size(cells); ++k) {
            line += cell(cells[k].second, widths[k]);
            if (!cells[k].second.empty()) continue;
            const auto name = std::string(op->name) + ": " + cells[k].first;
            const auto reason = reasons.find(name);
            ++empties;
            empty += name + ": " + (reason == reasons.end() ? "no reason is given" : reason->second) + "\n";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        table += line + "\n";
    }
    table += "\nby passes:";
    for (auto* op : op::all_records) if (structure.count(op)) table += std::string(" ") + op->name;
    table += "\n\nempty cells: " + std::to_string(empties) + "\n" + empty;
    CHECK(empties <= 10);
    CHECK(table.find("no reason is given") == std::string::npos);
    DF_GOLDEN("coverage.txt", table);
}

TEST_CASE("the list of records is complete, and names are unique") {
    std::set<std::string> listed;
    for (auto* op : op::all_records) {
        CAPTURE(op->name);
        CHECK(listed.insert(op->name).second);
        CHECK((*op->doc || structure.count(op)));
    }
    // every name in `extern const ir::op_def a, b;` of a header
    const std::string start = "extern const ir::op_def ";
    for (auto& folder : {"ops", "ir"})
        for (auto& file : std::filesystem::directory_iterator(data_path("../include/df/") + folder)) {
            const auto text = read_text(file.path().string());
            for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
                at += start.size();
                auto names = text.substr(at, text.find(';', at) - at);
                std::replace_if(names.begin(), names.end(), [](char c) { return c == ',' || c == '\n'; }, ' ');
                std::istringstream in(names);
                for (std::string name; in >> name;) {
                    CAPTURE(file.path().filename().string(), name);
                    CHECK(std::count_if(std::begin(op::all_records), std::end(op::all_records), [&](auto* op) { return op->name == name; }) == 1);
                }
            }
        }
}
