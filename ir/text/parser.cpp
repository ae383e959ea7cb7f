#include "ir/text/parser.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/name_table.hpp"
#include "ir/inference.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/text/cursor.hpp"
#include "ir/text/ports.hpp"
#include "ir/text/values.hpp"
#include "ir/verifier.hpp"

namespace onnx2ir::ir {
namespace {

constexpr int kDeepestBody = 200;

/// A graph and the ids of its nodes.
struct ParsedGraph {
  Graph* graph;
  base::NameTable<Node*> ids = {};
};

/// The type of an output as stated in the text. Compared at the end: a Loop may change types in its body.
struct DeclaredType {
  const Node* node;
  std::size_t output;
  TensorType type;
  std::size_t offset;
};

struct ParsedOutput {
  TensorType type;
  TensorNames names;
  std::size_t offset;
};

/// A statement without the bodies or the elements of its node.
struct Statement {
  Id id;
  const OpDescriptor* op;
  std::size_t op_offset;
  std::vector<Value> inputs;
  std::vector<Attribute> attributes;
  MarkSet marks;
  NoteSet notes;
  bool has_types = false;
  std::vector<ParsedOutput> outputs;
};

class Parser {
 public:
  Parser(std::string_view text, const ConstantData& weights) : cursor_(text), source_{SharedParts(weights)} {}

  std::unique_ptr<Model> model() {
    auto model = std::make_unique<Model>();
    cursor_.expect_word("model");
    model->name = cursor_.string("the name of the model in quotes");
    while (cursor_.accept_word("option")) {
      std::string name = cursor_.string("the name of an option in quotes");
      cursor_.expect('=', "after the name of the option");
      model->runtime_options.emplace_back(std::move(name),
                                          cursor_.string("the value of the option in quotes"));
    }
    while (cursor_.accept_word("layout")) {
      std::string place = cursor_.string("\"tensor NAME\", \"input NAME\" or \"output NAME\"");
      cursor_.expect('=', "before the layout");
      model->layouts.insert_or_assign(std::move(place), cursor_.string("the layout in quotes"));
    }
    ParsedGraph scope{&model->graph};
    while (!cursor_.is_at_end()) node(scope);
    check_types();
    if (const auto problems = verify(model->graph); !problems.empty()) cursor_.fail(0, problems.front());
    return model;
  }

 private:
  void node(ParsedGraph& scope) {
    const Statement statement = parse_statement(scope);
    const OpDescriptor& op = *statement.op;
    Payload payload;
    auto outputs = static_cast<std::size_t>(op.outputs);
    if (op.id == ops::Const) {
      cursor_.expect('=', "before the elements of a Const");
      payload = parse_elements(cursor_, statement.outputs.front().type, source_);
    } else if (op.id == ops::Loop) {
      payload = loop(scope, statement, outputs);
    } else if (op.id == ops::If) {
      payload = branches(scope, statement, outputs);
    } else if (op.outputs == OpDescriptor::kVariadic) {
      outputs = statement.outputs.size();
    }
    if (statement.has_types && statement.outputs.size() != outputs) {
      cursor_.fail(statement.op_offset, fmt::format("{} has {} outputs here, and {} types", op.name, outputs,
                                                    statement.outputs.size()));
    }
    Node& node = scope.graph->add(op, statement.inputs, outputs);
    node.name = statement.id.name();
    node.marks = statement.marks;
    node.notes = statement.notes;
    for (const Attribute& attribute : statement.attributes) node.set_attribute(attribute);
    const auto problem =
        base::problem_of(DiagnosticCode::invalid_node, [&] { infer(node, std::move(payload), statement); });
    if (problem) cursor_.fail(statement.op_offset, fmt::format("{}: {}", op.name, problem->message));
    for (std::size_t i = 0; i < statement.outputs.size(); ++i) {
      node.output(i).names = statement.outputs[i].names;
      stated_.push_back({&node, i, statement.outputs[i].type, statement.outputs[i].offset});
    }
    if (!scope.ids.add(statement.id.spelling, &node))
      cursor_.fail(statement.id.offset, fmt::format("'{}' is defined twice", statement.id.spelling));
  }

  static void infer(Node& node, Payload payload, const Statement& statement) {
    if (node.is(ops::Const) || node.is(ops::Parameter)) {
      const TensorType& declared = statement.outputs.front().type;
      set_output(node, 0, declared.type, declared.shape);
      if (node.is(ops::Const)) node.set_payload(std::move(payload));
    } else {
      if (node.op().traits.has_bodies) node.set_payload(std::move(payload));
      ir::infer(node);
    }
  }

  NoteSet parse_notes() {
    NoteSet notes;
    cursor_.expect('(', "before the notes of a node");
    do {
      const std::size_t offset = cursor_.offset();
      const std::string_view name = cursor_.word("a note");
      const auto* const found = std::ranges::find(kNoteNames, name);
      if (found == kNoteNames.end()) cursor_.fail(offset, fmt::format("there is no note '{}'", name));
      notes.add(static_cast<Note>(found - kNoteNames.begin()));
    } while (cursor_.accept(','));
    cursor_.expect(')', "after the notes of a node");
    return notes;
  }

  Statement parse_statement(const ParsedGraph& scope) {
    Statement statement;
    statement.id = cursor_.id("a node, which begins with '%'");
    cursor_.expect('=', "after the id of the node");
    statement.op_offset = cursor_.offset();
    const std::string_view name = cursor_.word("an operation");
    statement.op = find_op_or_null(name);
    if (statement.op == nullptr)
      cursor_.fail(statement.op_offset, fmt::format("there is no operation '{}'", name));
    if (statement.op->max_inputs != 0) parse_inputs(scope, statement);
    const bool has_bodies = statement.op->traits.has_bodies;
    if (!has_bodies && cursor_.accept('{')) parse_attributes(statement);
    if (const auto missing = missing_attributes(*statement.op, statement.attributes); !missing.empty())
      cursor_.fail(statement.op_offset, fmt::format("{} needs the attribute '{}'", name, missing.front()));
    for (std::size_t i = 0; i < kMarkNames.size(); ++i)
      if (cursor_.accept_word(kMarkNames[i])) statement.marks.add(static_cast<Mark>(i));
    if (cursor_.accept_word("note")) statement.notes = parse_notes();
    statement.has_types = cursor_.accept(':');
    if (statement.has_types) {
      do {
        statement.outputs.push_back(parse_output());
      } while (cursor_.accept(','));
    } else if (statement.op->id == ops::Parameter || statement.op->id == ops::Const ||
               (statement.op->outputs == OpDescriptor::kVariadic && !has_bodies)) {
      cursor_.fail_expected(fmt::format("':' and the types of the outputs of {}", name));
    }
    return statement;
  }

  void parse_inputs(const ParsedGraph& scope, Statement& statement) {
    cursor_.expect('(', "before the inputs");
    while (!cursor_.accept(')')) {
      if (!statement.inputs.empty()) cursor_.expect(',', "or ')' after an input");
      statement.inputs.push_back(value(scope));
    }
    if (const auto problem = input_problem(*statement.op, statement.inputs))
      cursor_.fail(statement.op_offset, *problem);
  }

  void parse_attributes(Statement& statement) {
    while (!cursor_.accept('}')) {
      if (!statement.attributes.empty()) cursor_.expect(',', "or '}' after an attribute");
      const std::size_t offset = cursor_.offset();
      const std::string_view name = cursor_.word("the name of an attribute");
      const auto& specs = statement.op->attributes;
      const auto spec = std::ranges::find(specs, name, &AttributeSpec::name);
      if (spec == specs.end())
        cursor_.fail(offset, fmt::format("{} has no attribute '{}'", statement.op->name, name));
      if (std::ranges::find(statement.attributes, name, &Attribute::name) != statement.attributes.end())
        cursor_.fail(offset, fmt::format("attribute '{}' is given twice", name));
      cursor_.expect('=', "after the name of the attribute");
      statement.attributes.emplace_back(*spec, parse_attribute(cursor_, spec->kind));
    }
  }

  ParsedOutput parse_output() {
    ParsedOutput output;
    output.offset = cursor_.offset();
    output.type = parse_type(cursor_);
    while (cursor_.peek() == '"') output.names.push_back(cursor_.string("the name of a tensor"));
    return output;
  }

  /// "%x", or "%x#1" for output 1.
  Value value(const ParsedGraph& scope) {
    const Id id = cursor_.id("a value, which begins with '%'");
    Node* const* const found = scope.ids.find(id.spelling);
    if (found == nullptr)
      cursor_.fail(id.offset, fmt::format("'{}' is not defined before this place", id.spelling));
    if ((*found)->is(ops::Result))
      cursor_.fail(id.offset, fmt::format("'{}' is a Result, which has no readers", id.spelling));
    std::int64_t index = 0;
    if (cursor_.accept('#')) index = cursor_.integer("the number of an output");
    if (index < 0 || index >= std::ssize((*found)->outputs()))
      cursor_.fail(id.offset, fmt::format("'{}' has no output {}", id.spelling, index));
    return (*found)->value(static_cast<std::size_t>(index));
  }

  /// Reads ports and nodes of a body up to its closing brace.
  std::vector<ParsedPort> body(const ParsedGraph& outer, const Statement& statement, ParsedGraph& inner) {
    if (++depth_ > kDeepestBody)
      cursor_.fail(statement.op_offset, fmt::format("bodies are nested more than {} deep", kDeepestBody));
    std::vector<ParsedPort> ports;
    while (!cursor_.accept('}')) {
      if (cursor_.peek() == '%') {
        node(inner);
      } else {
        ports.push_back(parse_port(cursor_, statement.inputs, [&] { return value(outer); }));
      }
    }
    --depth_;
    return ports;
  }

  InnerNodeFinder finder(const ParsedGraph& scope) const {
    return [this, &scope](const Id& id, Op operation) {
      Node* const* const found = scope.ids.find(id.spelling);
      if (found == nullptr || !(*found)->is(operation))
        cursor_.fail(id.offset,
                     fmt::format("'{}' is not a {} of this body", id.spelling, name_of(operation)));
      return *found;
    };
  }

  Payload loop(const ParsedGraph& outer, const Statement& statement, std::size_t& outputs) {
    cursor_.expect('{', "before the body of the Loop");
    auto loop = std::make_unique<LoopBody>();
    loop->graph = outer.graph->make_body();
    ParsedGraph inner{loop->graph.get()};
    const auto ports = body(outer, statement, inner);
    outputs =
        connect_loop(cursor_, statement.op_offset, ports, statement.inputs.size(), finder(inner), *loop);
    return loop;
  }

  Payload branches(const ParsedGraph& outer, const Statement& statement, std::size_t& outputs) {
    cursor_.expect('{', "before the branches of the If");
    auto result = std::make_unique<IfBranches>();
    outputs = branch(outer, statement, "then", result->then_branch);
    if (branch(outer, statement, "else", result->else_branch) != outputs)
      cursor_.fail(statement.op_offset, "the branches of the If have different numbers of outputs");
    cursor_.expect('}', "after the branches of the If");
    return result;
  }

  std::size_t branch(const ParsedGraph& outer, const Statement& statement, std::string_view name,
                     Branch& branch) {
    cursor_.expect_word(name);
    cursor_.expect('{', "before the branch");
    branch.graph = outer.graph->make_body();
    ParsedGraph inner{branch.graph.get()};
    const auto ports = body(outer, statement, inner);
    return connect_branch(cursor_, ports, finder(inner), branch);
  }

  void check_types() const {
    for (const DeclaredType& stated : stated_) {
      const Output& output = stated.node->output(stated.output);
      if (stated.type == TensorType{output.type, output.shape}) continue;
      cursor_.fail(stated.offset, fmt::format("the type is {}, but inference finds {}",
                                              type_text(stated.type.type, stated.type.shape),
                                              type_text(output.type, output.shape)));
    }
  }

  Cursor cursor_;
  ElementSource source_;
  std::vector<DeclaredType> stated_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<Model> parse_text(std::string_view text, const ConstantData& weights) {
  return Parser(text, weights).model();
}

}  // namespace onnx2ir::ir
