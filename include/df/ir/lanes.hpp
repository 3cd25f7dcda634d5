// Lane axes: the axes that vectorizing adds in front of a value's own. One per level of an enclosing parallel loop.
#pragma once
#include <atomic>

#include <df/core/error.hpp>

namespace df::inline DF_ABI::ir {

/// The lane axes a value varies over, outer first. Ids grow inwards, so the union of two lists is their sorted merge.
struct lane_list {
    static constexpr int most = 8;
    int n = 0;
    int id[most] = {};

    bool has(int axis) const { return position(axis) >= 0; }
    int position(int axis) const {
        for (int i = 0; i < n; ++i) if (id[i] == axis) return i;
        return -1;
    }
    void insert(int axis) {
        if (has(axis)) return;
        if (n == most) throw vectorize_error("pfor: more than 8 loops are nested; run the outer ones with an ordinary loop", {});
        int i = n++;
        for (; i > 0 && id[i - 1] > axis; --i) id[i] = id[i - 1];
        id[i] = axis;
    }
    lane_list without(int axis) const {
        lane_list r;
        for (int i = 0; i < n; ++i) if (id[i] != axis) r.id[r.n++] = id[i];
        return r;
    }
    friend bool operator==(const lane_list& a, const lane_list& b) {
        if (a.n != b.n) return false;
        for (int i = 0; i < a.n; ++i) if (a.id[i] != b.id[i]) return false;
        return true;
    }
};

}  // namespace df::inline DF_ABI::ir
