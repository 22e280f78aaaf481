// A rod as a curve with frames, in the vertex shader: Hermite through the nodes; frames belong to the middles of edges and are blended between them.
// The C++ side of the same formula: src/view/fibres.cpp; a browser test holds one against the other.
export const CURVE_GLSL = /* glsl */ `
uniform sampler2D uNodes;     // x, y, z less origin; value of the edge that starts here
uniform isampler2D uFrames;   // its quaternion
int first, edges;
bool ring;
ivec2 texel(int i) { int k = first + i; return ivec2(k & 1023, k >> 10); }
int around(int k) { return k < 0 ? k + edges : k >= edges ? k - edges : k; }
int edgeAt(int k) { return ring ? around(k) : clamp(k, 0, edges - 1); }
int nodeAt(int k) { return ring ? around(k) : clamp(k, 0, edges); }
vec3 node(int k) { return texelFetch(uNodes, texel(nodeAt(k)), 0).xyz; }
vec4 frame(int k) { return normalize(vec4(texelFetch(uFrames, texel(edgeAt(k)), 0))); }
vec3 direction(vec3 v, vec3 otherwise) { float l = dot(v, v); return l > 0.0 ? v * inversesqrt(l) : otherwise; }

// Tangent at a node between two edges: the shorter edge weighs more, as on a circle through the three nodes.
vec3 tangentBetween(vec3 before, vec3 after) {
  float l = max(dot(before, before), 1e-30), r = max(dot(after, after), 1e-30);
  return direction(before / l + after / r, direction(after, vec3(1.0, 0.0, 0.0)));
}

// A rod that runs back by more than 100 degrees has a corner: a rope over a sheave, straight on either side of it.
bool runsBack(vec3 before, vec3 after) { return dot(before, after) < -0.17 * sqrt(dot(before, before) * dot(after, after)); }

// Place, tangent and section axes on edge k at u in 0..1; e, w: between the middles of the edges e and e + 1, at w.
struct Curve { vec3 centre, t, d1, d2; int e; float w; };
Curve curveAt(int k, float u) {
  vec3 p0 = node(k), p1 = node(k + 1);
  vec3 chord = p1 - p0;
  float size = length(chord);
  vec3 along = size > 0.0 ? chord / size : vec3(1.0, 0.0, 0.0);
  bool starts = !ring && k == 0, ends = !ring && k == edges - 1;
  vec3 before = p0 - node(k - 1), after = node(k + 2) - p1;
  vec3 t0 = starts || runsBack(before, chord) ? along : tangentBetween(before, chord);
  vec3 t1 = ends || runsBack(chord, after) ? along : tangentBetween(chord, after);
  if (starts && !ends) t0 = 2.0 * dot(t1, along) * along - t1; // mirrored: an arc of constant curvature to the end
  if (ends && !starts) t1 = 2.0 * dot(t0, along) * along - t0;
  // Length of the Hermite tangents that reproduces circular arcs; shorter where the rod folds, so that it never overshoots.
  float c0 = dot(t0, along), c1 = dot(t1, along);
  vec3 m0 = t0 * size * (c0 > 0.0 ? 2.0 / (1.0 + c0) : 2.0 / (1.0 - 4.0 * c0));
  vec3 m1 = t1 * size * (c1 > 0.0 ? 2.0 / (1.0 + c1) : 2.0 / (1.0 - 4.0 * c1));
  float u2 = u * u, u3 = u2 * u;
  Curve on;
  on.centre = p0 + (3.0 * u2 - 2.0 * u3) * chord + (u3 - 2.0 * u2 + u) * m0 + (u3 - u2) * m1;
  vec3 t = on.t = direction((6.0 * u - 6.0 * u2) * chord + (3.0 * u2 - 4.0 * u + 1.0) * m0 + (3.0 * u2 - 2.0 * u) * m1, along);

  // Between the middles of two edges; at the free ends the turning of the last pair goes on.
  int e = u < 0.5 ? k - 1 : k;
  float w = u < 0.5 ? u + 0.5 : u - 0.5;
  if (!ring && edges > 1) {
    if (e < 0) { e = 0; w -= 1.0; }
    if (e > edges - 2) { e = edges - 2; w += 1.0; }
  }
  vec4 qa = frame(e), qb = frame(e + 1);
  float same = dot(qa, qb);
  if (same < 0.0) { qb = -qb; same = -same; }
  vec4 q = normalize(mix(qa, qb, w));
  vec3 d1 = vec3(1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y + q.w * q.z), 2.0 * (q.x * q.z - q.w * q.y));
  d1 = direction(d1 - dot(d1, t) * t, direction(cross(t, vec3(0.31, 0.54, 0.78)), vec3(1.0, 0.0, 0.0)));
  on.d1 = d1;
  on.d2 = cross(t, d1);
  on.e = e;
  on.w = w;
  return on;
}
`;
