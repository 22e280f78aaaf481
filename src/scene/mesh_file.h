// Triangle meshes from OBJ files.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/problem.h"
#include "tendril/scene.h"

namespace tendril {

// Vertices (v) and faces (f, also with more than three corners, also counted from the end); normals, textures, groups and
// materials are skipped. Vertices at the same place become one, because programs split them along seams. `shown` is the
// file's name in messages.
void read_mesh(const std::filesystem::path& file, const std::string& shown, const std::string& field, MeshShape& mesh,
               Problems& problems);

// Replaces each mesh's `file` by what it holds, so that a scene carries everything it needs.
void load_mesh_files(Scene& scene, Problems& problems);

}  // namespace tendril
