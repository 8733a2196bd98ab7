#include "heed/corpora/date_corpus.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "heed/base/draw.h"
#include "heed/corpora/corpus_part_internal.h"

namespace heed {
namespace {

using std::chrono::sys_days;

constexpr uint64_t kDateSite = 0x64617465;  // "date"

constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};

struct Date {
  int year;
  unsigned month, day;
  unsigned weekday;  // 0: Sunday
};

Date draw_date(CorpusPart part, Draw& draw) {
  constexpr sys_days kFirst{std::chrono::year(1900) / 1 / 1};
  constexpr sys_days kEnd{std::chrono::year(2100) / 1 / 1};
  constexpr auto kDays = static_cast<uint64_t>((kEnd - kFirst).count());
  uint64_t number = 0;
  do {
    number = draw.below(kDays);
  } while (part_of(hash_numbers({kDateSite, number})) != part);
  const sys_days at = kFirst + std::chrono::days(static_cast<int>(number));
  const std::chrono::year_month_day date{at};
  return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()), std::chrono::weekday(at).c_encoding()};
}

std::string ordinal(unsigned day) {
  const unsigned last = day / 10 == 1 ? 0 : day % 10;
  return fmt::format("{}{}", day, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

// 1997 or, where the two digits mean that year, '97.
std::string year_text(const Date& date, std::string_view mark, Draw& draw) {
  const bool may_be_short = date.year >= 1969 && date.year <= 2068;
  if (may_be_short && draw.chance(20)) return fmt::format("{}{:02}", mark, date.year % 100);
  return fmt::format("{}", date.year);
}

std::string month_name(const Date& date, Draw& draw) {
  const std::string_view name = kMonths[date.month - 1];
  if (date.month == 5 || draw.chance(50)) return std::string(name);
  const bool sept = date.month == 9 && draw.chance(50);
  std::string text(name.substr(0, sept ? 4 : 3));
  if (draw.chance(25)) text += '.';
  return text;
}

std::string weekday_text(const Date& date, Draw& draw) {
  const std::string_view name = kWeekdays[date.weekday];
  std::string text(draw.chance(50) ? name : name.substr(0, 3));
  text += draw.chance(60) ? ", " : " ";
  return text;
}

std::string number_text(unsigned number, bool padded) {
  return padded ? fmt::format("{:02}", number) : fmt::format("{}", number);
}

// In what follows every draw is a statement of its own: compilers differ in the order in which they
// compute operands and arguments.

// 3 May 1997; the 3rd of May, 1997
std::string day_first(const Date& date, Draw& draw) {
  std::string text;
  const uint64_t style = draw.below(4);
  if (style == 3) text += "the ";
  text += style == 0 ? number_text(date.day, draw.chance(25)) : ordinal(date.day);
  text += style >= 2 ? " of " : " ";
  text += month_name(date, draw);
  text += draw.chance(30) ? ", " : " ";
  text += year_text(date, "'", draw);
  return text;
}

// May 3, 1997; May the 3rd, 1997
std::string month_first(const Date& date, Draw& draw) {
  std::string text = month_name(date, draw);
  const uint64_t style = draw.below(4);
  text += style == 3 ? " the " : " ";
  text += style < 2 ? number_text(date.day, draw.chance(20)) : ordinal(date.day);
  text += draw.chance(75) ? ", " : " ";
  text += year_text(date, "'", draw);
  return text;
}

// 1997 May 3; 1997, May 3rd
std::string year_first(const Date& date, Draw& draw) {
  std::string text = fmt::format("{}", date.year);
  text += draw.chance(30) ? ", " : " ";
  text += month_name(date, draw);
  text += ' ';
  text += draw.chance(50) ? ordinal(date.day) : number_text(date.day, false);
  return text;
}

// 3-May-1997
std::string hyphens(const Date& date, Draw& draw) {
  const std::string day = number_text(date.day, draw.chance(50));
  return fmt::format("{}-{}-{}", day, kMonths[date.month - 1].substr(0, 3),
                     year_text(date, "", draw));
}

// 03.05.1997; 3. 5. 1997
std::string dots(const Date& date, Draw& draw) {
  const bool padded = draw.chance(60);
  const std::string_view dot = draw.chance(25) ? ". " : ".";
  return fmt::format("{}{}{}{}{}", number_text(date.day, padded), dot,
                     number_text(date.month, padded), dot, year_text(date, "", draw));
}

// 5/3/1997
std::string slashes(const Date& date, Draw& draw) {
  const bool padded = draw.chance(50);
  return fmt::format("{}/{}/{}", number_text(date.month, padded), number_text(date.day, padded),
                     year_text(date, "", draw));
}

// 1997-5-3; 1997/05/03; 19970503
std::string sorted(const Date& date, Draw& draw) {
  if (draw.chance(15)) return fmt::format("{}{:02}{:02}", date.year, date.month, date.day);
  const bool padded = draw.chance(50);
  constexpr std::array<std::string_view, 3> kMarks{"-", "/", "."};
  const std::string_view mark = draw.one_of(kMarks);
  return fmt::format("{}{}{}{}{}", date.year, mark, number_text(date.month, padded), mark,
                     number_text(date.day, padded));
}

std::string human(const Date& date, Draw& draw) {
  const std::string weekday = draw.chance(25) ? weekday_text(date, draw) : "";
  const uint64_t kind = draw.below(100);
  if (kind < 28) return weekday + day_first(date, draw);
  if (kind < 52) return weekday + month_first(date, draw);
  if (kind < 58) return year_first(date, draw);
  if (kind < 64) return hyphens(date, draw);
  if (kind < 78) return weekday + dots(date, draw);
  if (kind < 90) return weekday + slashes(date, draw);
  return sorted(date, draw);
}

void change_case(std::string& text, Draw& draw) {
  const uint64_t kind = draw.below(100);
  for (char& c : text) {
    const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z';
    if (kind < 30 && upper) c = static_cast<char>(c - 'A' + 'a');
    if (kind >= 85 && lower) c = static_cast<char>(c - 'a' + 'A');
  }
}

}  // namespace

TextPair date_pair(CorpusPart part, uint64_t seed, int64_t index) {
  Draw draw{kDateSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  const Date date = draw_date(part, draw);
  TextPair pair;
  pair.source = human(date, draw);
  change_case(pair.source, draw);
  pair.target = fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  return pair;
}

}  // namespace heed
