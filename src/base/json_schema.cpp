#include "base/json_schema.hpp"

namespace gpuready::base::detail {

Json absence_schema() {
  return Json{{"type", "object"},
              {"properties", Json{{"absent", enum_schema<Absence>()},
                                  {"detail", Json{{"type", "string"}}},
                                  {"code", Json{{"type", "integer"}}}}},
              {"required", Json::array({"absent", "detail"})},
              {"additionalProperties", false}};
}

Json described(Json schema, Unit unit, std::string_view meaning) {
  std::string text(meaning);
  if (unit != Unit::none)
    text += " (" + std::string(unit_names[static_cast<std::size_t>(unit)]) + ")";
  schema["description"] = text;
  return schema;
}

}  // namespace gpuready::base::detail
