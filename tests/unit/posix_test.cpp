// Named pipes, which Windows does not have in folders; not built there.
#include <sys/stat.h>

#include <string>

#include "base/input_file.hpp"
#include "catch.hpp"
#include "frontend/reader/external_data.hpp"
#include "temporary_folder.hpp"

using namespace onnx2ir::frontend;

TEST_CASE("a named pipe is neither a model nor external data, and is not waited for") {
  const TemporaryFolder folder("posix_test");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const auto folders = ExternalFolders::of_model(folder / "model.onnx");
  CHECK(folders.open("pipe").error().message == "'pipe', where its elements are, is not a file");
  CHECK(onnx2ir::base::open_file(folder / "pipe").error().message == "it is a named pipe, not a file");
}
