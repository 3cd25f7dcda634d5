// Small pictures in SVG for lesson 12.
#pragma once
#include <df/df.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

// One 8 by 8 map as SVG: cells of equal shade are one path. Values in [-1, 1]; grey or red above 0, blue below.
inline std::string drawing(const df::tensor<float>& map, int column, int row, bool signs) {
    std::string s = "<g transform=\"translate(" + std::to_string(column * 9) + " " + std::to_string(row * 13) + ")\">";
    std::string cells[9];
    for (int k = 0; k < 64; ++k)
        cells[std::lround(4 + 4 * map[k].item())] +=
            "M" + std::to_string(k % 8) + " " + std::to_string(k / 8) + "h1v1h-1z";
    for (int level = 0; level < 9; ++level) {
        const int pale = 255 - 60 * std::abs(level - 4);
        const int red = signs && level > 4 ? 255 : pale, blue = signs && level < 4 ? 255 : pale;
        const auto colour = std::to_string(red) + "," + std::to_string(pale) + "," + std::to_string(blue);
        if (!cells[level].empty()) s += "<path fill=\"rgb(" + colour + ")\" d=\"" + cells[level] + "\"/>";
    }
    return s + "<path fill=\"none\" stroke=\"#999\" stroke-width=\".1\" d=\"M0 0h8v8h-8z\"/></g>\n";
}
inline std::string text(const std::string& s, int x, const char* y, const char* anchor = "start") {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + y + "\" text-anchor=\"" + anchor + "\">" + s + "</text>\n";
}
