#include "base/json.hpp"
#include "report/report.hpp"

namespace gpuready::report {

namespace {

base::JsonWriter english_writer() {
  return base::JsonWriter(
      [](const Message& message) { return base::Messages::language("en").text(message); });
}

/// The members that stand in front of every command's object.
base::Json opening(const Run& run) {
  base::Json json = base::Json::object();
  json["schema"] = run.schema;
  json["tool"] = base::Json{{"version", run.tool.version}};
  json["at"] = run.at;
  return json;
}

base::Json facts_object(const Run& run, base::JsonWriter& writer) {
  base::Json json = opening(run);
  json["machine"] = writer.write_member("machine", run.machine);
  json["sources"] = writer.sources();
  return json;
}

base::Json run_object(const Run& run, base::JsonWriter& writer) {
  base::Json json = writer.write(run);
  json["sources"] = writer.sources();
  return json;
}

template <class T>
base::Json flat_object(const Run& run, const T& part, base::JsonWriter& writer) {
  base::Json json = opening(run);
  writer.add_fields(part, json);
  return json;
}

base::Json object_for(const Run& run, View view) {
  base::JsonWriter writer = english_writer();
  switch (view) {
    case View::facts:
      return facts_object(run, writer);
    case View::doctor:
      return flat_object(run, run.doctor, writer);
    case View::device:
      return flat_object(run, run.device, writer);
    case View::bench:
    case View::lesson:
      return flat_object(run, run.bench, writer);
    case View::setup:
      return flat_object(run, run.setup, writer);
    case View::page:
      break;
  }
  return run_object(run, writer);
}

}  // namespace

std::string json(const Run& run, View view) {
  return base::dump_json(object_for(run, view), true) + "\n";
}

}  // namespace gpuready::report
