#pragma once
/// The tables and texts that the rules read: the compiled-in ones, or a user's in their place. They
/// are chosen once, before anything is judged.

#include <vector>

#include "catalog/peak.hpp"
#include "catalog/phrases.hpp"
#include "catalog/rows.hpp"
#include "catalog/rule_text.hpp"
#include "catalog/wheels.hpp"
#include "catalog/xid.hpp"

namespace gpuready::catalog {

struct Tables {
  WheelTables wheels;
  std::vector<Xid> xids;
  RuleTexts rules;
  PhraseBook phrases;
  std::vector<PeakOps> peaks;
};

/// Each table by its name below data/ ("xid.csv", "rules/nouveau-bound.md"), the user's where there
/// is one. The error names the file, the record or line, and the field.
Result<Tables> load_tables(const Override& replaced);
/// The tables in use.
const Tables& tables();
/// Uses others from now on. Not while another thread judges.
void use_tables(Tables chosen);

}  // namespace gpuready::catalog
