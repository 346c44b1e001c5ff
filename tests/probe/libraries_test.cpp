#include <gtest/gtest.h>

#include <algorithm>

#include "probe/library_names.hpp"
#include "probe/probe.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

std::vector<Library> copies(const std::vector<Library>& all, const std::string& name) {
  std::vector<Library> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const Library& library) { return library.name == name; });
  return found;
}

void add_folder(host::Recording& recording, const std::string& path) {
  recording.statuses.insert_or_assign(path, host::FileStatus{host::FileKind::directory});
  recording.real_paths.insert_or_assign(path, path);
}

void add_library(host::Recording& recording, const std::string& folder, const std::string& name,
                 const std::string& real) {
  add_folder(recording, folder);
  recording.real_paths.insert_or_assign(folder + "/" + name, real);
}

TEST(ProbeLibraries, TheWorkstationsCopiesAreFoundWithTheirVersions) {
  host::RecordedHost host(testing::load_recording("rtx-4090-workstation"));
  const auto all = probe_libraries(host, probe_python(host));
  const auto cublas = copies(all, "cublas");
  ASSERT_EQ(cublas.size(), 1U);
  EXPECT_TRUE(cublas[0].place.is("python"));
  EXPECT_TRUE(cublas[0].version.is("13.0.0.19"));
  EXPECT_TRUE(copies(all, "cudnn").at(0).version.is("9.13.0.50"));
  EXPECT_TRUE(copies(all, "openblas").at(0).version.is("0.3.26"));
  EXPECT_TRUE(copies(all, "openblas").at(0).place.is("loader"));
}

TEST(ProbeLibraries, TheToolkitsFolderIsFoundOnColab) {
  host::RecordedHost host(testing::load_recording("colab-t4"));
  const auto all = probe_libraries(host, {});
  EXPECT_TRUE(copies(all, "cublaslt").at(0).place.is("toolkit"));
  EXPECT_TRUE(copies(all, "cublaslt").at(0).version.is("12.8.4.1"));
  EXPECT_TRUE(copies(all, "opencl").at(0).version.is("1.0.0"));
}

TEST(ProbeLibraries, OneEntrySaysWhereNothingWasFound) {
  host::Recording recording;
  add_folder(recording, "/usr/lib64");
  host::RecordedHost host(std::move(recording));
  const auto all = probe_libraries(host, {});
  EXPECT_EQ(all.size(), 8U);
  for (const Library& library : all) EXPECT_TRUE(library.file.absent_for(Absence::not_found));
  EXPECT_EQ(all[0].file.missing().detail,
            "libcublas.so.13 and older: not in 1 folders: /usr/lib64");
}

TEST(ProbeLibraries, TheOverrideAndWhatIsBundledComeFirst) {
  host::Recording recording;
  recording.environment["GPUREADY_LIBRARY_PATH"] = "/over:relative";
  recording.environment["LD_LIBRARY_PATH"] = "/ld";
  recording.links.emplace("/proc/self/exe", "/opt/gpuready/bin/gpuready");
  add_library(recording, "/ld", "libopenblas.so.0", "/ld/libopenblasp-r0.3.21.so");
  add_library(recording, "/opt/gpuready/bin/../lib/gpuready", "libopenblas.so.0", "/o/x.so");
  add_library(recording, "/over", "libopenblas.so.0", "/over/libopenblas.so.0");
  host::RecordedHost host(std::move(recording));
  const auto openblas = copies(probe_libraries(host, {}), "openblas");
  ASSERT_EQ(openblas.size(), 3U);
  EXPECT_TRUE(openblas[0].place.is("override"));
  EXPECT_TRUE(openblas[1].place.is("bundled"));
  EXPECT_TRUE(openblas[2].place.is("loader"));
  EXPECT_TRUE(openblas[2].version.is("0.3.21"));
}

TEST(ProbeLibraries, OneFileUnderTwoNamesIsListedOnce) {
  host::Recording recording;
  add_library(recording, "/usr/lib64", "libOpenCL.so.1", "/usr/lib64/libOpenCL.so.1.0.0");
  add_library(recording, "/usr/lib", "libOpenCL.so.1", "/usr/lib64/libOpenCL.so.1.0.0");
  host::RecordedHost host(std::move(recording));
  EXPECT_EQ(copies(probe_libraries(host, {}), "opencl").size(), 1U);
}

TEST(LibraryNames, OnlyOpenBlasWith32BitIntegersIsTaken) {
  EXPECT_TRUE(is_lp64_openblas("libopenblas.so.0"));
  EXPECT_TRUE(is_lp64_openblas("libopenblasp-r0.3.21.so"));
  EXPECT_TRUE(is_lp64_openblas("libscipy_openblas-68640149.so"));
  EXPECT_FALSE(is_lp64_openblas("libopenblas64_p-r0-0cf96a72.3.23.dev.so"));
  EXPECT_FALSE(is_lp64_openblas("libscipy_openblas64_-6bb31eeb.so"));
  EXPECT_FALSE(is_lp64_openblas("libopenblasp64.so.0"));
  EXPECT_FALSE(is_lp64_openblas("libopenblas.a"));
  EXPECT_FALSE(is_lp64_openblas("libgfortran-040039e1.so.5.0.0"));
}

TEST(LibraryNames, VersionsStandAtTheEndOfTheName) {
  EXPECT_EQ(version_in_file_name("libcublas.so.13.0.0.19"), "13.0.0.19");
  EXPECT_EQ(version_in_file_name("libopenblasp-r0.3.21.so"), "0.3.21");
  EXPECT_EQ(version_in_file_name("libcublas.so.12"), "");
  EXPECT_EQ(version_in_file_name("libcublas.so.x.y"), "");
  EXPECT_EQ(version_in_file_name("-r.so"), "");
  EXPECT_EQ(version_in_file_name(""), "");
}

}  // namespace
}  // namespace gpuready::probe
