#include "api/cpu_plan.hpp"

#include <gmock/gmock.h>

#include "api/cpu_kernels.hpp"

namespace gpuready::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Library library(const std::string& name, const std::string& file) {
  return {name, {file, "test"}, {}, {"loader", "test"}};
}

Machine machine_with(std::vector<Library> libraries) {
  Machine machine;
  machine.libraries = std::move(libraries);
  machine.cpu.usable_threads = {8, "test"};
  machine.cpu.usable_physical_cores = {4, "test"};
  machine.cpu.instruction_sets = {
      std::vector<std::string>{"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"},
      "test"};
  return machine;
}

Case measured(const std::string& backend, const std::string& kernels, double seconds) {
  Case c;
  c.device = "cpu", c.backend = backend, c.threads = 4;
  c.library = {backend, {}, {kernels, "test"}, {"/lib/" + backend, "test"}};
  c.shape = {512, 512, 512};
  c.median_s = seconds;
  return c;
}

const Shape square{512, 512, 512};

TEST(CpuPlan, MeasuresEveryLibraryWhereEveryOneIsWanted) {
  const Machine machine = machine_with({library("onednn", "/d.so"), library("openblas", "/a.so"),
                                        library("openblas", "/b.so"), library("openblas", "/c.so"),
                                        library("cublas", "/x.so")});
  BenchRequest request;
  request.every_cpu_library = true;
  const auto cases = plan_cpu_product(machine, request, "fp32", square);
  ASSERT_TRUE(cases);
  ASSERT_THAT(*cases, SizeIs(3));
  EXPECT_EQ((*cases)[0].attempts[0].backend.library_file, "/a.so");
  EXPECT_EQ((*cases)[1].attempts[0].backend.library_file, "/b.so");
  EXPECT_EQ((*cases)[2].attempts[0].backend.library_file, "/d.so");
  for (const PlannedCase& one : *cases) {
    EXPECT_THAT(one.attempts, SizeIs(1));
    EXPECT_FALSE(one.tries_first);
    EXPECT_EQ(one.attempts[0].backend.threads, 4);
  }
}

TEST(CpuPlan, LetsTheLibrariesCompeteForOneCaseOtherwise) {
  const Machine machine = machine_with({library("openblas", "/a.so"), library("onednn", "/d.so")});
  const auto cases = plan_cpu_product(machine, {}, "fp32", square);
  ASSERT_TRUE(cases);
  ASSERT_THAT(*cases, SizeIs(1));
  EXPECT_TRUE(cases->front().tries_first);
  EXPECT_THAT(cases->front().attempts, SizeIs(2));
}

TEST(CpuPlan, GivesATypeOnlyToLibrariesThatHaveIt) {
  const Machine machine = machine_with({library("openblas", "/a.so"), library("onednn", "/d.so")});
  EXPECT_THAT(cpu_libraries(machine, "bf16", ""), ElementsAre(CpuLibrary{"onednn", "/d.so"}));
  EXPECT_THAT(cpu_libraries(machine, "fp64", ""), ElementsAre(CpuLibrary{"openblas", "/a.so"}));
  EXPECT_THAT(cpu_libraries(machine, "fp32", "onednn"), ElementsAre(CpuLibrary{"onednn", "/d.so"}));
  EXPECT_THAT(cpu_libraries(machine, "fp8", ""), IsEmpty());
}

TEST(CpuPlan, SaysWhyATypeOrALibraryIsNotMeasured) {
  const Machine machine = machine_with({library("openblas", "/a.so")});
  const auto never = plan_cpu_product(machine, {}, "fp8", square);
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().why.key, "bench.error.cpu-type");
  const auto missing = plan_cpu_product(machine, {}, "bf16", square);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().why.key, "bench.error.no-cpu-library");
  EXPECT_THAT(missing.error().why.args, ElementsAre("bf16", "onednn"));
  EXPECT_EQ(missing.error().dtype, "bf16");
}

TEST(CpuPlan, TheTrialIsShortAndNoLargerThanTheProduct) {
  bench::MeasureRequest request;
  request.shape = {5000, 64, 5000};
  request.max_time_s = 6;
  const auto trial = trial_of(request);
  EXPECT_EQ(trial.shape, (Shape{1024, 64, 1024}));
  EXPECT_EQ(trial.max_time_s, 0.2);
  EXPECT_FALSE(trial.with_peak);
}

TEST(SecondRound, TriesTheFastestLibraryWithOneAndWithAllThreads) {
  const Machine machine = machine_with({});
  const auto planned = plan_second_round(
      machine, {}, {measured("onednn", "AVX512", 1), measured("openblas", "SkylakeX", 2)});
  ASSERT_THAT(planned, SizeIs(2));
  EXPECT_EQ(planned[0].attempts[0].backend.backend, "onednn");
  EXPECT_EQ(planned[0].attempts[0].backend.threads, 1);
  EXPECT_EQ(planned[1].attempts[0].backend.threads, 8);
  BenchRequest fixed;
  fixed.threads = 4;
  EXPECT_THAT(plan_second_round(machine, fixed, {measured("onednn", "AVX512", 1)}), IsEmpty());
}

TEST(SecondRound, NamesTheKernelsToALibraryThatChoseOlderOnes) {
  BenchRequest fixed;
  fixed.threads = 4;
  const auto planned =
      plan_second_round(machine_with({}), fixed,
                        {measured("openblas", "Haswell", 1), measured("blis", "generic", 2)});
  ASSERT_THAT(planned, SizeIs(2));
  EXPECT_EQ(planned[0].environment.at("OPENBLAS_CORETYPE"), "SkylakeX");
  EXPECT_EQ(planned[0].flag, "override");
  EXPECT_TRUE(planned[0].is_optional);
  EXPECT_EQ(planned[1].environment.at("BLIS_ARCH_TYPE"), "skx");
}

TEST(SecondRound, ObeysTheUsersVariablesInARowOfItsOwn) {
  Machine machine = machine_with({});
  machine.environment.variables["OPENBLAS_CORETYPE"] = "Prescott";
  BenchRequest fixed;
  fixed.threads = 4;
  const auto planned = plan_second_round(
      machine, fixed, {measured("openblas", "SkylakeX", 1), measured("onednn", "AVX512", 2)});
  ASSERT_THAT(planned, SizeIs(1));
  EXPECT_TRUE(planned[0].obeys_tuning);
  EXPECT_EQ(planned[0].flag, "environment");
}

TEST(CpuNotes, TellWhatVariablesAndOlderKernelsCost) {
  Machine machine = machine_with({});
  machine.environment.variables["OPENBLAS_CORETYPE"] = "Prescott";
  Case slow = measured("openblas", "Prescott", 4), better = measured("blis", "skx", 1);
  slow.flags = {"environment"}, better.flags = {"override"};
  const auto notes = cpu_notes(
      machine, {measured("openblas", "SkylakeX", 2), measured("blis", "generic", 3), slow, better});
  ASSERT_THAT(notes, SizeIs(3));
  EXPECT_EQ(notes[0].key, "bench.note.tuning-ignored");
  EXPECT_EQ(notes[1].key, "bench.note.tuning-slows");
  EXPECT_THAT(notes[1].args, ElementsAre("OPENBLAS_CORETYPE=Prescott", "openblas", "2.00x"));
  EXPECT_EQ(notes[2].key, "bench.note.older-kernels");
  EXPECT_THAT(notes[2].args,
              ElementsAre("blis", "generic", "AVX-512", "BLIS_ARCH_TYPE=skx", "3.00x"));
}

TEST(CpuKernels, AreComparedWithWhatTheCpuHas) {
  Cpu cpu = machine_with({}).cpu;
  EXPECT_EQ(level_of_cpu(cpu), VectorLevel::avx512);
  EXPECT_FALSE(override_for(cpu, measured("openblas", "Cooperlake", 1)));
  EXPECT_FALSE(override_for(cpu, measured("openblas", "a-name-of-tomorrow", 1)));
  EXPECT_FALSE(override_for(cpu, measured("mkl", "avx2", 1)));
  cpu.instruction_sets = {std::vector<std::string>{"avx2", "fma"}, "test"};
  EXPECT_EQ(level_of_cpu(cpu), VectorLevel::avx2);
  EXPECT_FALSE(override_for(cpu, measured("openblas", "Zen", 1)));
  EXPECT_EQ(override_for(cpu, measured("openblas", "Prescott", 1))->value, "Haswell");
  EXPECT_EQ(override_for(cpu, measured("blis", "generic", 1))->value, "haswell");
  cpu.instruction_sets = Missing{Absence::not_found, "", {}};
  EXPECT_EQ(level_of_cpu(cpu), VectorLevel::unknown);
}

}  // namespace
}  // namespace gpuready::api
