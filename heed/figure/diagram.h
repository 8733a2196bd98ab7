// Boxes and arrows, as SVG: what flows where, with numbers in the boxes and on the arrows.
//
//   Diagram picture({.title = "Attention pooling"});
//   const int key = picture.box({.column = 0, .row = 0, .text = "key 1\n(1, 0)"});
//   const int sum = picture.box({.column = 2, .row = 0.5, .text = "output\n23.4"});
//   picture.arrow({.from = key, .to = sum, .weight = 0.34, .label = "0.34"});
//   std::string page = picture.svg();
//
// Boxes stand on a grid, also between its places. All have the same height; their width is that of
// the widest text of their column. The picture is as large as they need.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct DiagramOptions {
  std::string title = {};
  double column_gap = 64;  // pixels between neighboring boxes
  double row_gap = 22;
};

struct DiagramBox {
  double column = 0;
  double row = 0;
  std::string text = {};  // lines, the first one bold
  int color = 6;          // index of a color, as in SeriesOptions: its frame
};

struct DiagramArrow {
  int from = 0;  // what box() returned
  int to = 0;
  double weight = 1;       // 0 .. 1: the thinner and paler, the less
  std::string label = {};  // along the arrow
  bool is_arc = false;     // above both boxes, for rows of words
  // To the right, up or down in the middle of the gap, and to the right again: to a box of the next
  // column that others stand before.
  bool is_elbow = false;
  // Out of the right side and around to the right side of another box of the column: past the boxes
  // between them.
  bool is_bypass = false;
};

class HEED_API Diagram {
 public:
  explicit Diagram(DiagramOptions options = {}) : options_(std::move(options)) {}

  int box(DiagramBox box);  // its number
  Diagram& arrow(DiagramArrow arrow);

  std::string svg() const;

 private:
  DiagramOptions options_;
  std::vector<DiagramBox> boxes_;
  std::vector<DiagramArrow> arrows_;
};

}  // namespace heed
