// What a demo shows: its formula, its numbers, its pictures. As text, each piece is printed when it
// comes; with --json the numbers are collected and printed as one object; with -o, the pictures are
// also written as SVG files.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "heed/figure/figure.h"
#include "heed/tensor/numbers.h"

namespace heed::cli {

struct LessonOutput {
  bool json = false;
  std::string folder = {};  // for SVG files; empty: none
};

struct Labels {
  std::vector<std::string> rows = {};     // none: numbers
  std::vector<std::string> columns = {};  // none: numbers
};

class Lesson {
 public:
  // The head: the demo's name, what it shows, and the requirements it answers to.
  Lesson(LessonOutput output, const std::string& name, const std::string& about,
         const std::string& requirements);
  ~Lesson();
  Lesson(const Lesson&) = delete;
  Lesson& operator=(const Lesson&) = delete;

  void formula(const std::string& text);  // may have several lines
  void say(const std::string& text);      // a paragraph, wrapped
  // A number, under `key` in the JSON object and after `label` as text; the digits are significant
  // ones.
  void number(const std::string& key, const std::string& label, double value, int digits = 6);
  void fact(const std::string& key, const std::string& label, bool value);
  // A matrix or a vector. In JSON, the names of its rows and columns are in "tables", under the
  // key.
  void table(const std::string& key, const std::string& title, const Tensor& numbers,
             const Labels& labels = {}, int digits = 4);
  void erratum(int number, const std::string& text);
  void figure(const std::string& name, const Figure& figure);
  // In the terminal only the panel `shown`, and how to see the others; -1: all of them.
  void figures(const std::string& name, const std::string& title, const std::vector<Figure>& panels,
               int columns, bool same_axes = false, int shown = -1);

  // A picture that is SVG already, for the folder only.
  void picture(const std::string& name, const std::string& svg);

  void finish();  // prints the JSON object, says which files were written

 private:
  void write(const std::string& name, const std::string& svg);
  void gap();

  LessonOutput output_;
  std::string name_;
  std::unique_ptr<nlohmann::ordered_json> page_;
  std::vector<std::string> files_;
  bool after_number_ = false;
};

// Numbers as a column or matrix of float64.
Tensor numbers(const std::vector<double>& values);

}  // namespace heed::cli
