#!/bin/sh
# Checks that scripts/check-names (the first argument) accepts a good tree and names each offence in a
# bad one.
set -eu

check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
  echo "names_offences: $1" >&2
  exit 1
}

# put FILE: writes a file of the tree from the standard input
put() {
  mkdir -p "$tree/$(dirname "$1")"
  cat >"$tree/$1"
}

put heed/text/split.h <<'CODE'
namespace heed {
inline int parts(const char* text) { return text[0] == '{' ? 1 : 2; }
}
CODE
put heed/ops/scale.h <<'CODE'
#include "heed/text/split.h"
namespace heed {
struct HEED_API Scale final : Base<int, 2> {
  void inside();
  double factor = 1;
};
enum class Kind { one, two };
template <typename T, int N = 3>
  requires std::is_floating_point_v<T>
HEED_API T scale(T x, const std::map<int, int>& options = {{1, 2}});
bool operator==(const Scale& a, const Scale& b);
inline Scale operator()(Scale a, int) { return a; }
void on_each(void (*call)(int));
extern const int kLimit;
}  // namespace heed
CODE
# Every kind of declaration that is allowed; most names are used elsewhere, but not where they meet.
put heed/ops/scale.cpp <<'CODE'
#include "heed/ops/scale.h"
#define unbalanced {
namespace heed {
namespace {
using Json = nlohmann::json;
namespace files = std::filesystem;
constexpr double kFactor = 2.0, kTable[] = {1, 2}, kOther{3};
const std::map<std::string, int> known = {{"a}", 1}, {R"(")})", 2}};
struct Local {
  Local() : a{1}, b(2) { one(); }
  int inside() const { return a < b; }
  int a, b;
};
Local::Other::Other(int x) : a{x} { two(); }
/* int in_comment() {} */
int first(int x) { return x; }
double first(double x) { return x; }
auto last = [](int x) { return first(x); };
}  // namespace
Scale& Scale::operator+=(const Scale& other) { return *this; }
void Scale::inside() { first(1); }
static_assert(sizeof(int) == 4);
}  // namespace heed
CODE
put heed/ops/other.cpp <<'CODE'
namespace heed {
namespace {
using Json = nlohmann::json;
namespace files = std::filesystem;
int inside() { int first = 1; return first; }
}  // namespace
int one() { return 1; }
namespace other {
namespace {
int last_of(int x) { return x; }
}  // namespace
}  // namespace other
namespace reference {
namespace {
int last_of(int x) { return x; }
}
}
}  // namespace heed
CODE
put heed/ops/targets.cpp <<'CODE'
#include <hwy/foreach_target.h>
namespace heed { namespace { int first(int x) { return x; } } }
CODE
put heed/text/split.cpp <<'CODE'
namespace heed { namespace { int first(int x) { return x; } struct Scale {}; } }
CODE
put apps/cli/main.cpp <<'CODE'
#include "heed/ops/scale.h"
namespace heed::cli { namespace { int first(int x) { return x; } } }
CODE
sed -i 's/^int last_of(int x)/int last_of(int x)/' "$tree/heed/ops/other.cpp"
"$check" "$tree" || fail "a good tree was refused"

# expect FILE TEXT NAME WHERE: with TEXT at its end, in an anonymous namespace, NAME of FILE must be
# reported as the same as one in WHERE.
expect() {
  cp "$tree/$1" "$tree/saved"
  line=$(($(wc -l <"$tree/$1") + 1))
  printf 'namespace heed { namespace { %s } }\n' "$2" >>"$tree/$1"
  if report=$("$check" "$tree"); then fail "not reported: $1: $2"; fi
  case $report in
    "$1:$line: $3 is also $4:"*"check-names: 1 offence") ;;
    *) fail "wrong report for $1: $2: $report" ;;
  esac
  mv "$tree/saved" "$tree/$1"
}

file=heed/ops/zero.cpp
put $file </dev/null
expect $file 'void first() {}' first 'in heed/ops/scale.cpp'
expect $file 'template <typename T> T first(std::vector<T> x);' first 'in heed/ops/scale.cpp'
expect $file 'struct Local;' Local 'in heed/ops/scale.cpp'
expect $file 'class Local final : public Scale { int a; };' Local 'in heed/ops/scale.cpp'
expect $file 'enum class Local : int { a };' Local 'in heed/ops/scale.cpp'
expect $file 'enum { kTable = 3 };' kTable 'in heed/ops/scale.cpp'
expect $file 'int a = b < c, kOther = 4;' kOther 'in heed/ops/scale.cpp'
expect $file 'const std::vector<std::pair<int, int>> kFactor{{1, 2}};' kFactor 'in heed/ops/scale.cpp'
expect $file 'using Json = std::string;' Json 'in heed/ops/other.cpp'
expect $file 'namespace files = heed;' files 'in heed/ops/other.cpp'
expect $file 'int inside() { return 1; }' inside 'in heed/ops/other.cpp'
expect $file 'float scale(float x) { return x; }' scale 'declared in heed/ops/scale.h'
expect $file 'void on_each() {}' on_each 'declared in heed/ops/scale.h'
expect $file 'int kLimit = 3;' kLimit 'declared in heed/ops/scale.h'
expect $file 'struct Scale {};' Scale 'declared in heed/ops/scale.h'
expect $file 'int parts();' parts 'declared in heed/text/split.h'
expect $file '} namespace other { namespace { int first; }' first 'in heed/ops/scale.cpp'
expect apps/cli/main.cpp 'int scale; ' scale 'declared in heed/ops/scale.h'
expect apps/cli/main.cpp '} namespace cli { namespace { int parts; }' parts 'declared in heed/text/split.h'

if "$check" "$tree/heed" 2>/dev/null; then fail "a tree without files was accepted"; fi
