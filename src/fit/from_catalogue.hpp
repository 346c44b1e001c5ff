#pragma once
/// Models of data/models.csv.

#include "catalog/models.hpp"
#include "fit/model.hpp"
#include "gpuready/result.hpp"

namespace gpuready::fit {

/// What a row says, layer by layer, with weights by role and layer whose sum is the row's
/// parameters: what the shapes do not explain stands under `tower` or `other`. The row names the
/// dtype that weights are stored in; where it names none, two bytes are taken, with a doubt.
/// The error names the row and what is wrong with it.
Result<Model> model_of_row(const catalog::Model& row);

/// What the row's shapes alone say, as far as its family is known: their parameters may differ from
/// the row's by a tower or by what the columns do not hold.
Result<Model> shapes_of_row(const catalog::Model& row);

}  // namespace gpuready::fit
