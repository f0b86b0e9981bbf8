// SPDX-License-Identifier: Apache-2.0
#include "graph/frames.h"

#include <cstring>

#include "base/check.h"
#include "base/language.h"

using namespace tenon::graph;

// Returns the graph's copy of a text. Consecutive calls come from the same files, so the texts
// copied last are reused.
const char* tenon_graph::frame_text(const char* text) {
  constexpr size_t kKept = 16;
  for (const char* kept : frame_texts_) {
    if (std::strcmp(kept, text) == 0) return kept;
  }
  const char* copy = arena_.copy<char>({text, std::strlen(text) + 1});
  if (frame_texts_.size() == kKept) frame_texts_.erase(frame_texts_.begin());
  frame_texts_.push_back(copy);
  return copy;
}

void tenon_graph::add_frame(size_t number, const Frame& frame) {
  Node& node = nodes_[number];
  auto* frames = arena_.make<Frame>(size_t{node.nframes} + 1);
  std::copy_n(node.frames, node.nframes, frames);
  frames[node.nframes] = {frame_text(frame.function), frame_text(frame.file), frame.language,
                          frame.line};
  node.frames = frames;
  ++node.nframes;
}

void tenon_graph::copy_frames(const Node& of, size_t first) {
  if (of.nframes == 0) return;
  auto* frames = arena_.make<Frame>(of.nframes);
  for (uint32_t i = 0; i < of.nframes; ++i) {
    const Frame& frame = of.frames[i];
    frames[i] = {frame_text(frame.function), frame_text(frame.file), frame.language, frame.line};
  }
  for (size_t i = first; i < nodes_.size(); ++i) {
    if (nodes_[i].nframes != 0) continue;
    nodes_[i].frames = frames;
    nodes_[i].nframes = of.nframes;
  }
}

namespace tenon::graph {

base::ErrorPtr frames_here() { return base::capture_frames("", kFramesOfNode); }

void add_frames(Graph& graph, size_t node, const base::ErrorObject& captured) {
  tenon_error_frame frame{};
  for (int64_t i = 0; captured.get_frame(i, &frame); ++i) {
    const bool is_known = base::is_language(frame.language);  // an error accepts any number
    graph.add_frame(node, {frame.function, frame.file,
                           is_known ? frame.language : TENON_LANGUAGE_NONE, frame.line});
  }
}

std::string print_frame(const Frame& frame) {
  std::string text = base::concat(frame.file[0] != '\0' ? frame.file : "?");
  if (frame.line > 0) text += base::concat(':', frame.line);
  if (frame.function[0] != '\0') text += base::concat(" in ", frame.function);
  const char* language = base::language_name(frame.language);
  if (language != nullptr && language[0] != '\0') text += base::concat(" [", language, ']');
  return text;
}

std::string print_node(const Graph& graph, size_t number) {
  const Node& node = graph.nodes()[number];
  std::string text = base::concat("in node ", number, " of a graph, ", node.op->name());
  for (uint32_t i = 0; i < node.nframes; ++i) {
    text +=
        base::concat(i == 0 ? ", recorded at " : ",\n  called from ", print_frame(node.frames[i]));
  }
  return text;
}

}  // namespace tenon::graph
