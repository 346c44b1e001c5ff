#include <gtest/gtest.h>

#include <algorithm>

#include "probe/probe.hpp"
#include "probe/python_files.hpp"
#include "tests/probe/recorded_machine.hpp"

namespace gpuready::probe {
namespace {

/// Builds the answers about a file tree.
class Tree {
 public:
  Tree& file(const std::string& path, const std::string& content = "x") {
    recording_.files.insert_or_assign(path, content);
    recording_.statuses.insert_or_assign(path,
                                         host::FileStatus{host::FileKind::regular, 0755, 0, 0, 1});
    recording_.real_paths.insert_or_assign(path, path);
    return add_parents(path);
  }
  Tree& link(const std::string& path, const std::string& real) {
    recording_.statuses.insert_or_assign(path,
                                         host::FileStatus{host::FileKind::regular, 0755, 0, 0, 1});
    recording_.real_paths.insert_or_assign(path, real);
    return add_parents(path);
  }
  Tree& env(const std::string& name, const std::string& value) {
    recording_.environment[name] = value;
    return *this;
  }
  std::vector<PythonEnvironment> python() {
    host::RecordedHost host(recording_);
    return probe_python(host);
  }

 private:
  Tree& add_parents(std::string path) {
    while (path.size() > 1) {
      const std::size_t slash = path.rfind('/');
      const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
      auto& names = *recording_.folders.try_emplace(parent, std::vector<std::string>{}).first;
      const std::string name = path.substr(slash + 1);
      if (std::ranges::find(*names.second, name) == names.second->end())
        names.second->push_back(name);
      recording_.statuses.try_emplace(parent, host::FileStatus{host::FileKind::directory});
      path = parent;
    }
    return *this;
  }

  host::Recording recording_;
};

const std::string torch_version =
    "from typing import Optional\n__all__ = ['__version__', 'cuda', 'hip']\n"
    "__version__ = '2.9.0+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\n"
    "git_version = 'abc'\nhip: Optional[str] = None\n";

TEST(ProbePython, AVirtualEnvironmentIsItselfAndNotTheInterpreterBehindIt) {
  Tree tree;
  tree.env("PATH", "/w/.venv/bin:/usr/bin")
      .link("/w/.venv/bin/python", "/usr/bin/python3.12")
      .file("/w/.venv/pyvenv.cfg", "home = /usr/bin\nversion_info = 3.12.3.final.0\n")
      .file("/w/.venv/lib/python3.12/site-packages/torch/version.py", torch_version)
      .file("/w/.venv/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so")
      .link("/usr/bin/python3", "/usr/bin/python3.12")
      .file("/usr/bin/python3.12");
  const auto all = tree.python();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].is_default);
  EXPECT_TRUE(all[0].kind.is("venv"));
  EXPECT_TRUE(all[0].version.is("3.12.3"));
  EXPECT_TRUE(all[0].torch->tag.is("cu130"));
  EXPECT_TRUE(all[0].torch->cuda.is("13.0"));
  EXPECT_TRUE(all[0].torch->hip.absent_for(Absence::not_applicable));
  EXPECT_TRUE(all[0].torch->cuda_library.is(true));
  EXPECT_TRUE(all[1].kind.is("system"));
  EXPECT_TRUE(all[1].version.is("3.12"));
  EXPECT_FALSE(all[1].is_default);
  EXPECT_TRUE(all[1].torch.absent_for(Absence::not_found));
}

TEST(ProbePython, CondaTellsItsVersionAndItsEnvironmentsAreListed) {
  Tree tree;
  tree.env("PATH", "/opt/conda/bin")
      .env("CONDA_PREFIX", "/opt/conda/envs/ml")
      .file("/opt/conda/bin/python")
      .file("/opt/conda/conda-meta/python-3.11.9-h955ad1f_0.json")
      .file("/opt/conda/envs/ml/bin/python")
      .file("/opt/conda/envs/ml/conda-meta/python-3.12.1-h1.json");
  const auto all = tree.python();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].kind.is("conda"));
  EXPECT_TRUE(all[0].version.is("3.11.9"));
  EXPECT_TRUE(all[1].prefix.is("/opt/conda/envs/ml"));
  EXPECT_TRUE(all[1].version.is("3.12.1"));
}

TEST(ProbePython, APyenvShimLeadsToTheVersionThatItWouldStart) {
  Tree tree;
  tree.env("PATH", "/home/u/.pyenv/shims:/usr/bin")
      .env("HOME", "/home/u")
      .file("/home/u/.pyenv/shims/python", "#!/usr/bin/env bash\n")
      .file("/home/u/.pyenv/version", "3.12.4\n3.11.9\n")
      .file("/home/u/.pyenv/versions/3.12.4/bin/python");
  const auto all = tree.python();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].kind.is("pyenv"));
  EXPECT_TRUE(all[0].version.is("3.12.4"));
  EXPECT_TRUE(all[0].is_default);
}

TEST(ProbePython, DebiansAndTheUsersFoldersBelongToTheSystemsPython) {
  Tree tree;
  tree.env("PATH", "/usr/bin")
      .env("HOME", "/home/u")
      .link("/usr/bin/python3", "/usr/bin/python3.11")
      .file("/usr/bin/python3.11")
      .file("/home/u/.local/lib/python3.11/site-packages/torch/version.py",
            "__version__ = \"2.4.0+cpu\"\ncuda = None\n")
      .file("/usr/local/lib/python3.11/dist-packages/torch/version.py", torch_version);
  const auto all = tree.python();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].is_default);
  EXPECT_EQ(all[0].torch->version, "2.4.0+cpu");
  EXPECT_TRUE(all[0].torch->cuda.absent_for(Absence::not_applicable));
}

TEST(ProbePython, WithoutVersionPyTheMetadataFolderTells) {
  Tree tree;
  tree.env("PATH", "/v/bin")
      .file("/v/bin/python")
      .file("/v/pyvenv.cfg", "version = 3.10.2\n")
      .file("/v/lib/python3.10/site-packages/torch/__init__.py")
      .file("/v/lib/python3.10/site-packages/torch-2.1.0.dist-info/METADATA");
  const auto all = tree.python();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].torch->version, "2.1.0");
  EXPECT_TRUE(all[0].torch->tag.absent_for(Absence::not_found));
  EXPECT_TRUE(all[0].torch->cuda.absent_for(Absence::unreadable));
}

TEST(ProbePython, GarbageFilesGiveNoTorchAndNoCrash) {
  Tree tree;
  tree.env("PATH", "relative::/v/bin:")
      .file("/v/bin/python")
      .file("/v/pyvenv.cfg", std::string(1000, '\xff') + "\nversion =\n")
      .file("/v/lib/python3/site-packages/torch/version.py", "__version__ = '\ncuda:\nhip =");
  const auto all = tree.python();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].torch.known());
}

TEST(ProbePython, AMachineWithoutPythonHasNone) { EXPECT_TRUE(Tree().python().empty()); }

const PythonEnvironment* with_prefix(const std::vector<PythonEnvironment>& all,
                                     const std::string& prefix) {
  const auto it = std::ranges::find_if(
      all, [&](const PythonEnvironment& python) { return python.prefix.is(prefix); });
  return it == all.end() ? nullptr : &*it;
}

TEST(ProbePython, EnvironmentsAreFoundWhereTheirToolsKeepThem) {
  Tree tree;
  tree.env("HOME", "/home/u").env("PATH", "/usr/bin").file("/usr/bin/python3.12");
  const std::vector<std::string> venvs{"/home/u/.virtualenvs/a",
                                       "/home/u/.cache/pypoetry/virtualenvs/b",
                                       "/opt/venv",
                                       "/home/u/.local/share/pipx/venvs/c",
                                       "/home/u/.pyenv/versions/d",
                                       "/data/far"};
  for (const std::string& prefix : venvs)
    tree.link(prefix + "/bin/python", "/usr/bin/python3.12")
        .file(prefix + "/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
  tree.file("/home/u/.conda/environments.txt", "/data/conda/one\n")
      .file("/data/conda/one/bin/python")
      .file("/data/conda/one/conda-meta/python-3.11.9-h955ad1f_0.json");
  tree.file("/home/u/.local/share/jupyter/kernels/x/kernel.json",
            R"({"argv": ["/data/far/bin/python", "-m", "ipykernel_launcher"]})");
  const auto all = tree.python();
  for (const std::string& prefix : venvs) {
    const PythonEnvironment* found = with_prefix(all, prefix);
    ASSERT_NE(found, nullptr) << prefix;
    EXPECT_TRUE(found->kind.is("venv")) << prefix;
  }
  const PythonEnvironment* conda = with_prefix(all, "/data/conda/one");
  ASSERT_NE(conda, nullptr);
  EXPECT_TRUE(conda->version.is("3.11.9"));
}

TEST(ProbePython, PythonpathAndLib64AreOnTheSearchPath) {
  Tree tree;
  tree.env("PATH", "/usr/bin")
      .file("/usr/bin/python3.12")
      .link("/usr/bin/python", "/usr/bin/python3.12");
  tree.file("/usr/local/lib64/python3.12/site-packages/torch/version.py", torch_version);
  EXPECT_TRUE(tree.python()[0].torch->site.is("/usr/local/lib64/python3.12/site-packages"));
  tree.env("PYTHONPATH", "relative:/opt/extra")
      .file("/opt/extra/torch/version.py", "__version__ = '2.4.0+cpu'\ncuda = None\n");
  const PythonEnvironment python = tree.python()[0];
  EXPECT_EQ(python.torch->version, "2.4.0+cpu");
  ASSERT_EQ(python.hidden_torch.size(), 1U);
  EXPECT_EQ(python.hidden_torch[0].version, "2.9.0+cu130");
}

TEST(ProbePython, TheUsersSiteIsLeftOutWhereTheVariableSaysSo) {
  Tree tree;
  tree.env("PATH", "/usr/bin").env("HOME", "/home/u").file("/usr/bin/python3.12");
  tree.link("/usr/bin/python", "/usr/bin/python3.12");
  tree.file("/home/u/.local/lib/python3.12/site-packages/torch/version.py", torch_version);
  EXPECT_TRUE(tree.python()[0].torch.known());
  tree.env("PYTHONNOUSERSITE", "1");
  EXPECT_FALSE(tree.python()[0].torch.known());
}

TEST(ProbePython, LibtorchMayLieInTheFolderOfTheSystemsLibraries) {
  Tree tree;
  tree.env("PATH", "/c/bin").file("/c/bin/python").file("/c/conda-meta/python-3.12.4-h_1.json");
  tree.file("/c/lib/python3.12/site-packages/torch/version.py", torch_version)
      .file("/c/lib/python3.12/site-packages/torch/lib/libtorch_python.so")
      .file("/c/lib/libtorch_cuda.so");
  EXPECT_TRUE(tree.python()[0].torch->cuda_library.is(true));
}

TEST(ProbePython, TorchIsKnownByItsMetadataAlone) {
  Tree tree;
  tree.env("PATH", "/usr/bin").link("/usr/bin/python", "/usr/bin/python3.12");
  tree.file("/usr/bin/python3.12");
  tree.file("/usr/local/lib/python3.12/dist-packages/torch-2.5.1+cpu.dist-info/METADATA");
  const PythonEnvironment python = tree.python()[0];
  ASSERT_TRUE(python.torch.known());
  EXPECT_TRUE(python.torch->tag.is("cpu"));
}

}  // namespace
}  // namespace gpuready::probe
