// SPDX-License-Identifier: Apache-2.0
// There are three strategies: long rows are processed one after another; short rows are joined, so
// that a small operand is repeated only once and loops are long; and if an input's rows are the
// output's columns, the operands are processed by tiles.
#include "kernels/cpu/loops/pointwise_blocks.h"

#include <cstring>

#include "kernels/cpu/loops/conversion.h"
#include "kernels/cpu/loops/repeat.h"
#include "kernels/cpu/loops/transpose.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {
namespace {

// Measured with floats: a quarter of this is a third slower, and four times as much is not faster.
constexpr int64_t kBlockBytes = 4096;
constexpr int64_t kShort = 64;         // rows with fewer elements are joined
constexpr int64_t kTile = 64;          // elements along each side of a tile
constexpr int64_t kTileBytes = 16384;  // maximum size of one input's tile
constexpr int64_t kTiles = 4;          // number of such tiles that fit

struct Block {
  alignas(64) char bytes[kBlockBytes];
};

}  // namespace

// One operand, and the conversion of its elements to or from the loop's dtype.
struct BlockOperand {
  int64_t stride;  // along a row, in bytes
  int64_t next;    // from one row to the next, in bytes
  int64_t own_size;
  int64_t computed_size;
  bool as_it_is;  // no conversion needed; moved elements may have another dtype of the same size
  Conversion conversion;

  bool is_direct() const { return as_it_is && stride == own_size; }
  bool is_same() const { return stride == 0; }  // one element for a whole row
};

// The data of a plan, except its walk, that blocks need.
struct BlockLayout {
  int outs;
  int count;                    // number of operands: outputs, then inputs
  int64_t block = kBlockBytes;  // number of elements of the widest operand that fit into a block
  BlockOperand operands[kMaxOperands];

  BlockLayout(Elementwise& plan, const PointwiseFacts& facts)
      : outs(plan.outputs()), count(outs + plan.inputs()) {
    const bool moves = facts.reads == Reads::Nothing;
    for (int k = 0; k < outs; ++k) {
      const Dtype result = plan.result_dtype(k);
      // Elements that are only moved are not converted to the loop's dtype.
      // The real results of complex numbers are computed as numbers.
      const Reads writes = result == plan.dtype() ? facts.reads : Reads::Numbers;
      const Dtype written = moves ? result : computed(result, writes);
      add(plan.walk(), k, plan.output_dtype(k), result, written,
          {written, result, plan.output_dtype(k)});
    }
    for (int k = 0; k < plan.inputs(); ++k) {
      const Dtype own = dtype_of_info(plan.input_info(k));
      Dtype promoted = plan.input_dtype(k);
      Dtype read = k < facts.masks ? Dtype::Bool : computed(promoted, facts.reads);
      const bool keeps =
          k == 1 && facts.keeps_digits && plan.needs_cast(1) && plan.input_info(1).numel == 1;
      if (keeps) promoted = read;
      if (moves) read = promoted;
      add(plan.walk(), outs + k, own, promoted, read, {own, promoted, read});
    }
  }

 private:
  void add(const Walk& walk, int k, Dtype own, Dtype promoted, Dtype loops,
           const Conversion& conversion) {
    BlockOperand& operand = operands[k];
    operand.stride = walk.stride(k, 0);
    operand.next = walk.ndim() > 1 ? walk.stride(k, 1) : 0;
    operand.own_size = size_of(own);
    operand.computed_size = size_of(loops);
    operand.as_it_is = own == promoted && operand.own_size == operand.computed_size;
    operand.conversion = conversion;
    block = std::min(block, kBlockBytes / std::max(size_of(promoted), size_of(loops)));
  }
};

namespace {

class Blocks {
 public:
  Blocks(const Walk& walk, const BlockLayout& layout, const PointwiseLevel& level,
         const void* functor)
      : walk_(walk),
        operands_(layout.operands),
        loop_(level.loop),
        functor_(functor),
        outs_(layout.outs),
        count_(layout.count),
        block_(layout.block) {
    is_single_ = level.single != nullptr && operands_[count_ - 1].is_same() &&
                 (walk_.ndim() == 1 || walk_.size(0) >= kShort);
    if (is_single_) loop_ = level.single;
  }

  // Runs the loop. `base` are the operands' first elements.
  void run(char* const* base) {
    if (walk_.ndim() > 1 && wants_tiles()) {
      run_tiles(base);
    } else if (walk_.ndim() > 1 && wants_joined()) {
      run_joined(base);
    } else {
      run_long(base);
    }
  }

 private:
  // ---- Elements in and out ----------------------------------------------------------------------

  void read(const BlockOperand& operand, char* block, char* from, int64_t stride, int64_t count) {
    operand.conversion.run(block, operand.computed_size, from, stride, count, between_.bytes);
  }
  void write(const BlockOperand& out, char* to, char* block, int64_t count) {
    out.conversion.run(to, out.stride, block, out.computed_size, count, between_.bytes);
  }

  // Returns true if the loop reads the single element of a row directly from memory.
  bool is_read_there(int k) const { return is_single_ && k == count_ - 1 && operands_[k].as_it_is; }

  // Returns the address from which the loop reads `count` elements of an input's row, starting at
  // `from`. They are converted to a block if necessary; if the row has a single element, the block
  // already contains it.
  char* row_of(int k, char* from, int64_t count) {
    const BlockOperand& operand = operands_[k];
    if (operand.is_direct() || is_read_there(k)) return from;
    if (!operand.is_same()) read(operand, blocks_[k].bytes, from, operand.stride, count);
    return blocks_[k].bytes;
  }
  void begin_row(char* const* row, int64_t count) {
    for (int k = outs_; k < count_; ++k) {
      const BlockOperand& operand = operands_[k];
      if (!operand.is_same() || row[k] == filled_[k] || is_read_there(k)) continue;
      char* const block = blocks_[k].bytes;
      if (!operand.as_it_is) read(operand, block, row[k], 0, 1);
      const char* const element = operand.as_it_is ? row[k] : block;
      const int64_t copies = is_single_ && k == count_ - 1 ? 1 : count;
      repeat_element(block, element, operand.computed_size, copies);
      filled_[k] = row[k];
    }
  }

  // ---- Long rows --------------------------------------------------------------------------------

  void run_long(char* const* base) {
    const int64_t length = walk_.size(0);
    bool direct = true;
    for (int k = 0; k < count_; ++k) {
      direct = direct && (operands_[k].is_direct() || is_read_there(k));
    }
    if (direct) {
      return walk_.rows<Walk::kAnyOperands>(
          base, [&](char* const* row) { loop_(row, length, functor_); });
    }
    const int64_t step = std::min(block_, length);
    walk_.rows<Walk::kAnyOperands>(base, [&](char* const* row) {
      begin_row(row, step);
      for (int64_t at = 0; at < length; at += step) run_part(row, at, std::min(step, length - at));
    });
  }

  void run_part(char* const* row, int64_t at, int64_t count) {
    char* data[kMaxOperands];
    for (int k = outs_; k < count_; ++k) {
      data[k] = row_of(k, row[k] + at * operands_[k].stride, count);
    }
    run_loop(data, row, at, count);
  }

  // Runs the loop over `count` elements of a row, starting at index `at`. `data` already contains
  // the inputs.
  void run_loop(char** data, char* const* row, int64_t at, int64_t count) {
    for (int k = 0; k < outs_; ++k) {
      const BlockOperand& out = operands_[k];
      data[k] = out.is_direct() ? row[k] + at * out.stride : blocks_[k].bytes;
    }
    loop_(data, count, functor_);
    for (int k = 0; k < outs_; ++k) {
      const BlockOperand& out = operands_[k];
      if (!out.is_direct()) write(out, row[k] + at * out.stride, data[k], count);
    }
  }

  // ---- Short rows, joined -----------------------------------------------------------------------

  // Returns true if rows are adjacent in memory without gaps.
  bool is_dense(const BlockOperand& operand) const {
    return operand.stride == operand.own_size && operand.next == walk_.size(0) * operand.stride;
  }

  // Returns true if rows should be joined: short rows always, longer ones if only repeated operands
  // have to be copied.
  bool wants_joined() const {
    if (is_single_) return false;
    if (walk_.size(0) < kShort) return true;
    bool easy = walk_.size(0) <= block_ / 2;
    for (int k = 0; k < count_; ++k) {
      const BlockOperand& operand = operands_[k];
      easy = easy && (is_dense(operand) || operand.is_same() || operand.next == 0);
    }
    return easy;
  }

  void run_joined(char* const* base) {
    const int64_t length = walk_.size(0);
    const int64_t rows = walk_.size(1);
    const int64_t step = std::min(block_ / length, rows);
    walk_.steps<2, Walk::kAnyOperands>(base, [&](char* const* plane) {
      for (int k = outs_; k < count_; ++k) {
        const BlockOperand& operand = operands_[k];
        if (operand.next != 0) continue;
        read(operand, blocks_[k].bytes, plane[k], operand.stride, length);
        const int64_t size = length * operand.computed_size;
        repeat_bytes(blocks_[k].bytes, size, step * size);
      }
      for (int64_t at = 0; at < rows; at += step) run_rows(plane, at, std::min(step, rows - at));
    });
  }

  void run_rows(char* const* plane, int64_t at, int64_t rows) {
    const int64_t length = walk_.size(0);
    char* data[kMaxOperands];
    for (int k = outs_; k < count_; ++k) {
      const BlockOperand& operand = operands_[k];
      char* const from = plane[k] + at * operand.next;
      data[k] = operand.as_it_is && is_dense(operand) ? from : blocks_[k].bytes;
      if (data[k] != from && operand.next != 0) read_rows(operand, data[k], from, rows);
    }
    for (int k = 0; k < outs_; ++k) {
      const BlockOperand& out = operands_[k];
      const bool direct = out.as_it_is && is_dense(out);
      data[k] = direct ? plane[k] + at * out.next : blocks_[k].bytes;
    }
    loop_(data, rows * length, functor_);
    for (int k = 0; k < outs_; ++k) {
      char* const to = plane[k] + at * operands_[k].next;
      if (data[k] != to) write_rows(operands_[k], to, data[k], rows);
    }
  }

  void write_rows(const BlockOperand& out, char* to, char* block, int64_t rows) {
    const int64_t length = walk_.size(0);
    if (is_dense(out)) return write(out, to, block, rows * length);
    for (int64_t r = 0; r < rows; ++r) {
      write(out, to + r * out.next, block + r * length * out.computed_size, length);
    }
  }

  void read_rows(const BlockOperand& operand, char* block, char* from, int64_t rows) {
    const int64_t length = walk_.size(0);
    if (is_dense(operand)) return read(operand, block, from, operand.stride, rows * length);
    const int64_t width = length * operand.computed_size;
    if (operand.is_same()) {
      read(operand, ones_.bytes, from, operand.next, rows);
      for (int64_t r = 0; r < rows; ++r) {
        repeat_element(block + r * width, ones_.bytes + r * operand.computed_size,
                       operand.computed_size, length);
      }
      return;
    }
    for (int64_t r = 0; r < rows; ++r) {
      read(operand, block + r * width, from + r * operand.next, operand.stride, length);
    }
  }

  // ---- Tiles ------------------------------------------------------------------------------------

  // Returns true if an input is contiguous along the output's columns.
  bool is_turned(const BlockOperand& operand) const {
    return operand.next == operand.own_size && operand.stride != operand.own_size &&
           !operand.is_same();
  }

  bool wants_tiles() const {
    bool turned = false;
    for (int k = outs_; k < count_; ++k) turned = turned || is_turned(operands_[k]);
    return turned && walk_.size(0) >= 16 && walk_.size(1) >= 16;
  }

  void run_tiles(char* const* base) {
    int64_t size = 0;
    int64_t tiles = 0;
    for (int k = outs_; k < count_; ++k) {
      if (!is_turned(operands_[k])) continue;
      size = std::max(size, operands_[k].own_size);
      ++tiles;
    }
    int64_t side = kTile;
    while (side * side * size > kTileBytes) side /= 2;
    while (side * side * size * tiles > kTiles * kTileBytes) side /= 2;
    const int64_t columns = walk_.size(0);
    const int64_t rows = walk_.size(1);
    walk_.steps<2, Walk::kAnyOperands>(base, [&](char* const* plane) {
      for (int64_t r = 0; r < rows; r += side) {
        for (int64_t c = 0; c < columns; c += side) {
          run_tile(plane, r, std::min(side, rows - r), c, std::min(side, columns - c));
        }
      }
    });
  }

  void run_tile(char* const* plane, int64_t first_row, int64_t rows, int64_t first_column,
                int64_t columns) {
    alignas(64) char tiles[kTiles * kTileBytes];
    char* tile[kMaxOperands];
    char* next = tiles;
    for (int k = outs_; k < count_; ++k) {
      const BlockOperand& operand = operands_[k];
      if (!is_turned(operand)) continue;
      tile[k] = next;
      next += rows * columns * operand.own_size;
      const int64_t size = operand.own_size;
      transpose(tile[k], plane[k] + first_column * operand.stride + first_row * operand.next,
                {size, rows, columns, columns * size, operand.stride});
    }
    for (int64_t r = 0; r < rows; ++r) {
      char* row[kMaxOperands];
      for (int k = 0; k < count_; ++k) row[k] = plane[k] + (first_row + r) * operands_[k].next;
      begin_row(row, columns);
      char* data[kMaxOperands];
      for (int k = outs_; k < count_; ++k) {
        const BlockOperand& operand = operands_[k];
        if (!is_turned(operand)) {
          data[k] = row_of(k, row[k] + first_column * operand.stride, columns);
          continue;
        }
        data[k] = tile[k] + r * columns * operand.own_size;
        if (operand.as_it_is) continue;
        read(operand, blocks_[k].bytes, data[k], operand.own_size, columns);
        data[k] = blocks_[k].bytes;
      }
      run_loop(data, row, first_column, columns);
    }
  }

  const Walk& walk_;
  const BlockOperand* const operands_;
  PointwiseLoop loop_;
  const void* functor_;
  const int outs_;
  const int count_;
  const int64_t block_;
  bool is_single_;                         // the loop reads one element per row of the last input
  const char* filled_[kMaxOperands] = {};  // the element that the block of an input is filled with
  Block blocks_[kMaxOperands];
  Block between_;
  Block ones_;  // one element for each of several rows
};

void run_shared(const Walk& walk, const BlockLayout& layout, const PointwiseLevel& level,
                const void* functor, char* const* base) {
  parallel_walk(walk, base, 1, [&](const Walk& part, char* const* first) {
    Blocks(part, layout, level, functor).run(first);
  });
}

}  // namespace

void run_blocks(Elementwise& plan, const PointwiseFacts& facts, const PointwiseLevel& level,
                const void* functor) {
  if (plan.walk().numel() == 0) return;
  const BlockLayout layout(plan, facts);
  run_shared(plan.walk(), layout, level, functor, plan.walk().raw_data());
}

PlannedBlocks::PlannedBlocks(Elementwise& plan, const PointwiseFacts& facts)
    : walk_(plan.walk()), layout_(std::make_shared<const BlockLayout>(plan, facts)) {}

void PlannedBlocks::run(const PointwiseLevel& level, const void* functor, char* const* base) const {
  if (walk_.numel() != 0) run_shared(walk_, *layout_, level, functor, base);
}

}  // namespace tenon::kernels::cpu
