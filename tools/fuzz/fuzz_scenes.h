// Small scenes whose states and files have everything in them: contact, bodies, couplings, clamps that move, equilibria.
#pragma once

namespace tendril::fuzz {

inline constexpr const char* moving_scene = R"(method = "der"
[time]
duration = 0.05
frames_per_second = 100
step = 1e-3
[contact]
enabled = true
friction = 0.3
[[rod]]
name = "r"
section = { stiffness = { EI1 = 1e-3, EI2 = 1e-3, GJ = 1e-3, mass_per_length = 0.05, radius = 0.02 } }
rest = { straight = { start = [0, 0, 0.021], end = [1, 0, 0.021] } }
segments = 6
[[clamp]]
name = "wall"
rod = "r"
move = { keys = [[0, [0, 0, 0]], [1, [0, 0, -0.2]]] }
[[coupling]]
name = "hand"
rod = "r"
at = 0.7
stiffness = 5
damping = 0.1
[[body]]
name = "ball"
kind = "dynamic"
mass = 0.1
shape = { sphere = { radius = 0.05 } }
position = [0.5, 0, 0.2]
[[obstacle]]
name = "floor"
shape = { half_space = { normal = [0, 0, 1] } }
[[load]]
gravity = [0, 0, -9.81]
[[probe]]
name = "tip"
rod = "r"
at = 1.0
quantity = "position"
)";

inline constexpr const char* still_scene = R"(method = "strands"
[time]
duration = 0.5
frames_per_second = 20
mode = "quasistatic"
[[rod]]
name = "s"
section = { stiffness = { EI1 = 1e-3, EI2 = 2e-3, GJ = 1e-3, mass_per_length = 0.01, radius = 0.001 } }
rest = { straight = { start = [0, 0, 0], end = [0.3, 0, 0] } }
segments = 8
[[clamp]]
name = "a"
rod = "s"
[[coupling]]
name = "hand"
rod = "s"
at = 1.0
stiffness = 5
angular_stiffness = 0.01
move = { keys = [[0, [0, 0, 0]], [1, [0.05, 0.05, 0.05]]] }
[[load]]
gravity = [0, 0, -9.81]
[[probe]]
coupling = "hand"
quantity = "reaction_force"
)";

}  // namespace tendril::fuzz
