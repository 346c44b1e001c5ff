#include <algorithm>

#include "base/json_schema.hpp"
#include "gpuready/cloud.hpp"
#include "gpuready/cloud_run.hpp"
#include "gpuready/gpuready.hpp"
#include "gpuready/remote.hpp"
#include "gpuready/plan.hpp"
#include "gpuready/rule_list.hpp"

namespace gpuready {

namespace {

using base::Json;

const Json& text_schema() {
  static const Json schema{{"type", "string"}};
  return schema;
}

Json sources_schema() {
  return Json{{"type", "object"},
              {"description", "the file or call that each known fact came from, by its path"},
              {"additionalProperties", text_schema()}};
}

/// Adds what every command's object has, and closes it.
Json finish(const std::string& command, Json schema, bool with_sources) {
  Json& properties = schema["properties"];
  Json& required = schema["required"];
  properties["schema"] = Json{{"const", "gpuready." + command + "/1"}};
  properties["tool"] = Json{{"type", "object"},
                            {"properties", Json{{"version", text_schema()}}},
                            {"required", Json::array({"version"})}};
  properties["at"] = text_schema();
  for (const char* name : {"schema", "tool", "at"})
    if (std::find(required.begin(), required.end(), name) == required.end())
      required.push_back(name);
  if (with_sources) properties["sources"] = sources_schema();
  schema["additionalProperties"] = false;
  Json out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
           {"title", "gpuready." + command + "/1"}};
  out.update(schema);
  return out;
}

Json machine_only() {
  return Json{{"type", "object"},
              {"properties", Json{{"machine", base::json_schema<Machine>()}}},
              {"required", Json::array({"machine"})}};
}

Json record_schema() {
  Json schema = machine_only();
  schema["properties"]["raw"] =
      Json{{"type", "object"}, {"description", "the answers of the machine, question by question"}};
  schema["required"].push_back("raw");
  return schema;
}

/// With MODEL one estimate, without it a list.
Json fit_schema() {
  Json one = finish("fit", base::json_schema<Estimate>(), false);
  Json list = finish("fit", base::json_schema<FitList>(), false);
  Json out{{"$schema", one["$schema"]}, {"title", one["title"]}};
  for (Json* part : {&one, &list}) part->erase("$schema"), part->erase("title");
  out["anyOf"] = Json::array({std::move(one), std::move(list)});
  return out;
}

/// What a machine answered is another program's JSON, or text.
Json with_result(Json schema) {
  schema["properties"]["result"] =
      Json{{"description", "what the command on the machine printed: its JSON, else its text"}};
  return schema;
}

Json remote_schema() {
  Json one = with_result(base::json_schema<RemoteAnswer>());
  one["additionalProperties"] = false;
  return Json{{"type", "object"},
              {"properties", Json{{"hosts", Json{{"type", "array"}, {"items", one}}}}},
              {"required", Json::array({"hosts"})}};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> json_schemas() {
  const auto text = [](const Json& schema) { return base::dump_json(schema, true) + "\n"; };
  return {{"run", text(finish("run", base::json_schema<Run>(), true))},
          {"facts", text(finish("facts", machine_only(), true))},
          {"doctor", text(finish("doctor", base::json_schema<Doctor>(), false))},
          {"device", text(finish("device", base::json_schema<DeviceChoice>(), false))},
          {"bench", text(finish("bench", base::json_schema<Bench>(), false))},
          {"bench-case", text(finish("bench-case", base::json_schema<Case>(), false))},
          {"compare", text(finish("compare", base::json_schema<Comparison>(), false))},
          {"fit", text(fit_schema())},
          {"plan", text(finish("plan", base::json_schema<Plan>(), false))},
          {"cloud-offers", text(finish("cloud-offers", base::json_schema<OfferList>(), false))},
          {"cloud-list", text(finish("cloud-list", base::json_schema<RentedList>(), false))},
          {"cloud-keys", text(finish("cloud-keys", base::json_schema<KeyList>(), false))},
          {"oom", text(finish("oom", base::json_schema<Oom>(), false))},
          {"setup", text(finish("setup", base::json_schema<Setup>(), false))},
          {"cloud-run", text(finish("cloud-run", with_result(base::json_schema<CloudRun>()), false))},
          {"cloud-down", text(finish("cloud-down", base::json_schema<CloudEnds>(), false))},
          {"cloud-reap", text(finish("cloud-reap", base::json_schema<CloudEnds>(), false))},
          {"remote", text(finish("remote", remote_schema(), false))},
          {"rules", text(finish("rules", base::json_schema<RuleList>(), false))},
          {"record", text(finish("record", record_schema(), true))}};
}

std::string json_documentation() {
  std::string out =
      "# JSON\n\nMade from the field lists in `include/gpuready/` by the test "
      "`Schemas.TheCommittedFilesAreCurrent`.\nNumbers are plain SI. A fact that is not known is "
      "`{\"absent\": reason, \"detail\": text, \"code\": number}`.\nThe schemas stand in "
      "`schemas/`.\n\n## `gpuready --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<Run>("", out);
  out +=
      "\n`facts` has `machine`; `doctor`, `device` and `bench` have the members of these parts "
      "at the top.\n";
  out += "\n## `gpuready setup --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<Setup>("", out);
  out += "\n## `gpuready compare --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<Comparison>("", out);
  out += "\n## `gpuready fit MODEL --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<Estimate>("", out);
  out += "\n## `gpuready fit --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<FitList>("", out);
  out += "\n## `gpuready plan --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<Plan>("", out);
  out += "\n## `gpuready cloud offers --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<OfferList>("", out);
  out += "\n## `gpuready cloud list --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<RentedList>("", out);
  out += "\n## `gpuready cloud keys --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<KeyList>("", out);
  out += "\n## `gpuready oom --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<Oom>("", out);
  out += "\n## `gpuready cloud run --json`\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<CloudRun>("", out);
  out +=
      "\n## `gpuready cloud down --json`, `cloud reap --json`\n\n"
      "| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<CloudEnds>("", out);
  out +=
      "\n## `gpuready remote --json`\n\n`hosts[]`, each with these and `result`, what was printed "
      "there.\n\n| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<RemoteAnswer>("", out);
  out +=
      "\n## `gpuready doctor --list-rules --json`, `--explain ID --json`\n\n"
      "| field | unit | meaning |\n| --- | --- | --- |\n";
  base::document_fields<RuleList>("", out);
  return out;
}

}  // namespace gpuready
