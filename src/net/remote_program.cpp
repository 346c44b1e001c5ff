#include "net/remote_program.hpp"

#include <sys/utsname.h>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace gpuready::net {

namespace {

constexpr std::chrono::milliseconds look_deadline{60000}, copy_deadline{900000};
constexpr std::size_t most_program_bytes = std::size_t{256} << 20U;
constexpr int cannot_write = 90;

/// What one line says after its first word.
std::string after(std::string_view line, std::string_view word) {
  if (!base::starts_with(line, word) || line.size() <= word.size()) return {};
  const std::string_view value = line.substr(word.size());
  return base::printable(value) == value ? std::string(value) : std::string();
}

/// Functions of a POSIX shell that the scripts share.
const std::string& hash_function() {
  static const std::string text =
      "hash() {\n"
      "  if command -v sha256sum >/dev/null 2>&1; then sha256sum < \"$1\" | cut -c 1-64\n"
      "  elif command -v shasum >/dev/null 2>&1; then shasum -a 256 < \"$1\" | cut -c 1-64\n"
      "  elif command -v openssl >/dev/null 2>&1; then\n"
      "    openssl dgst -sha256 < \"$1\" | sed 's/.*= *//'\n"
      "  else echo none; fi\n"
      "}\n";
  return text;
}

/// Below the home folder there.
std::string kept_folder(const ProgramFile& program) {
  constexpr std::size_t digits = 16;
  return "gpuready/" + program.version + "-" + program.sha256.substr(0, digits);
}

std::string copy_script(const ProgramFile& program, const RemoteProgram& place) {
  return "umask 077\n" + hash_function() + "f=" + base::shell_word(place.file) + "\nn=" +
         base::shell_word(place.folder) + "/arriving\n" +
         "cat > \"$n\" && chmod 700 \"$n\" || exit " + std::to_string(cannot_write) +
         "\necho \"bytes $(wc -c < \"$n\" | tr -d ' ')\"\nh=$(hash \"$n\")\necho \"hash $h\"\n" +
         "[ \"$h\" = none ] || [ \"$h\" = " + program.sha256 + " ] || exit 1\n" +
         "mv \"$n\" \"$f\" || exit " + std::to_string(cannot_write) + "\n\"$f\" --version\n";
}

CopyFault connection_fault(const SshResult& result) { return {result.end, false, result.why, {}}; }

std::string first_error(const SshResult& result) {
  for (const std::string& line : base::split_lines(result.errors))
    if (const std::string shown = base::printable(base::trim(line)); !shown.empty())
      return " (" + shown.substr(0, 200) + ")";
  return {};
}

/// What the copy says of itself: its size and hash, then the program's own name and version.
tl::expected<std::string, CopyFault> check_copy(const SshResult& result,
                                                const ProgramFile& program,
                                                const std::string& system) {
  if (result.code == cannot_write)
    return tl::unexpected(CopyFault{
        SshEnd::done, false, "the program could not be written there" + first_error(result), {}});
  std::string bytes, hash, name;
  for (const std::string& line : base::split_lines(result.output)) {
    if (bytes.empty()) bytes = after(line, "bytes ");
    if (hash.empty()) hash = after(line, "hash ");
    if (base::starts_with(line, "gpuready ")) name = line;
  }
  const bool whole = bytes == std::to_string(program.bytes.size());
  if (!whole || (hash != program.sha256 && hash != "none"))
    return tl::unexpected(CopyFault{SshEnd::done, false,
                                    "the copy of gpuready is not what was sent (its SHA-256 or "
                                    "size differs); try again",
                                    {}});
  if (result.code != 0 || name.empty())
    return tl::unexpected(CopyFault{
        SshEnd::done, true,
        "gpuready does not start there (" + system + ")" + first_error(result), {}});
  return std::string(hash == "none" ? "size" : "sha256");
}

}  // namespace

Result<ProgramFile> own_program(host::Host& host, const std::string& version) {
  ProgramFile program;
  auto bytes = host.read_file(host.self(), most_program_bytes);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  program.bytes = std::move(*bytes);
  program.sha256 = base::sha256(program.bytes);
  program.version = version;
  utsname name{};
  if (::uname(&name) == 0) program.machine = name.machine;
  return program;
}

std::string look_script(const ProgramFile& program, bool keep) {
  const std::string ours = base::shell_word("Linux " + program.machine);
  return "umask 077\n" + hash_function() +
         "s=$(uname -sm)\necho \"system $s\"\n[ \"$s\" = " + ours + " ] || exit 0\n" +
         "c=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}\nk=$c/" + kept_folder(program) +
         "\nif [ -x \"$k/gpuready\" ] && [ \"$(hash \"$k/gpuready\")\" = " + program.sha256 +
         " ]; then echo \"same $k/gpuready\"; exit 0; fi\n" +
         // Whether programs may run in a folder only a try can tell (noexec).
         "runs() { printf '#!/bin/sh\\nexit 0\\n' > \"$1/try\" && chmod 700 \"$1/try\" &&\n"
         "  \"$1/try\" 2>/dev/null; r=$?; rm -f \"$1/try\"; return $r; }\n" +
         (keep ? "if mkdir -p \"$k\" 2>/dev/null && runs \"$k\"; then\n"
                 "  echo \"folder $k\"; exit 0; fi\n"
               : "") +
         "for d in \"${TMPDIR:-/tmp}\" /tmp \"$c\" /var/tmp /dev/shm \"${HOME:-/nonexistent}\"; do\n"
         "  t=$(mktemp -d \"$d/gpuready.XXXXXXXX\" 2>/dev/null) ||\n"
         "    { t=$d/gpuready.$$; mkdir \"$t\" 2>/dev/null || continue; }\n"
         "  if runs \"$t\"; then echo \"folder $t\"; exit 0; fi\n"
         "  rm -rf \"$t\"\n"
         "done\necho none\n";
}

Look read_look(std::string_view output) {
  Look look;
  for (const std::string& line : base::split_lines(output)) {
    if (look.system.empty()) look.system = after(line, "system ");
    if (const auto file = after(line, "same /"); !file.empty())
      look.kept_file = "/" + file, look.same_is_there = true;
    if (const auto folder = after(line, "folder /"); base::contains(folder, "gpuready"))
      look.folder = "/" + folder;
    if (line == "none") look.no_place = true;
  }
  return look;
}

SshResult Carrier::shell(const std::string& script, std::string input,
                         std::chrono::milliseconds deadline) {
  SshCommand command;
  command.command = script;
  command.input = std::move(input);
  command.deadline = deadline;
  command.max_output_bytes = max_output_bytes_;
  return ssh_.run(target_, identity_, command);
}

CopyFault Carrier::undo(const RemoteProgram& program, CopyFault fault) {
  if (!program.folder.empty() && !remove(program)) fault.left_behind = program.folder;
  return fault;
}

tl::expected<RemoteProgram, CopyFault> Carrier::bring(const ProgramFile& program, bool keep) {
  const SshResult looked = shell(look_script(program, keep), "", look_deadline);
  if (looked.end != SshEnd::done) return tl::unexpected(connection_fault(looked));
  const Look look = read_look(looked.output);
  RemoteProgram there;
  there.system = look.system;
  if (look.system != "Linux " + program.machine)
    return tl::unexpected(CopyFault{SshEnd::done, true,
                                    "this gpuready is for Linux " + program.machine +
                                        ", the machine is " +
                                        (look.system.empty() ? "of another kind" : look.system),
                                    {}});
  if (look.same_is_there) {
    there.file = look.kept_file, there.was_there = there.kept = true, there.checked_by = "sha256";
    there.folder = there.file.substr(0, there.file.rfind('/'));
    return there;
  }
  if (look.folder.empty())
    return tl::unexpected(CopyFault{
        SshEnd::done, true,
        "no folder there takes a program that can run: /tmp, ~/.cache, /var/tmp and /dev/shm are "
        "full, closed or mounted noexec; set TMPDIR there",
        {}});
  there.folder = look.folder;
  there.file = look.folder + "/gpuready";
  const SshResult copied = shell(copy_script(program, there), program.bytes, copy_deadline);
  if (copied.end != SshEnd::done)
    return tl::unexpected(undo(there, connection_fault(copied)));
  auto checked = check_copy(copied, program, look.system);
  if (!checked) return tl::unexpected(undo(there, checked.error()));
  there.checked_by = *checked;
  there.kept = keep && !base::contains(look.folder, "/gpuready.");
  return there;
}

SshResult Carrier::run(const RemoteProgram& program, const std::vector<std::string>& arguments,
                       std::chrono::milliseconds deadline, bool last) {
  std::string script = base::shell_word(program.file);
  for (const std::string& argument : arguments) script += " " + base::shell_word(argument);
  script += " </dev/null\n";
  if (last && !program.kept)
    script += "c=$?\nrm -rf " + base::shell_word(program.folder) + "\nexit $c\n";
  return shell(script, "", deadline);
}

SshResult Carrier::run_shell(const RemoteProgram& program, const std::string& command,
                             std::chrono::milliseconds deadline) {
  return shell("PATH=" + base::shell_word(program.folder) + ":$PATH\nexport PATH\n" + command, "",
               deadline);
}

bool Carrier::remove(const RemoteProgram& program) {
  if (program.folder.empty() || program.kept) return true;
  const SshResult removed = shell("rm -rf " + base::shell_word(program.folder), "", look_deadline);
  return removed.end == SshEnd::done && removed.code == 0;
}

}  // namespace gpuready::net
