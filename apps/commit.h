#pragma once

namespace heed {

// The commit that the program was built from, with -dirty behind it if files had been changed
// since; empty if it was not built from a git checkout. cmake/HeedCommit.cmake writes it.
const char* built_from_commit();

}  // namespace heed
