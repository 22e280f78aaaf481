// The tube of one segment, bent and framed in the vertex shader. Nodes and edges live in textures (rod_data.ts); one instance is a number of edges.
// Centerline: Hermite through the nodes; frames, half sizes and colour values belong to the middles of edges and are blended between them.
import { SHADING_GLSL } from "./shading";

export const ROD_VERTEX = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
attribute vec3 aWhere;   // place in the list of segments, segments per instance, end of the list
attribute vec3 aPoint;   // place on the section of half sizes 1, and along the edge 0..1
attribute vec3 aNormal;  // in section axes, and along the rod (caps)
uniform sampler2D uSegments;  // first node of the rod in the textures, edge, edges of the rod, 1 for a ring
uniform sampler2D uNodes;     // x, y, z less origin; value of the edge that starts here
uniform sampler2D uSections;  // half sizes a, b of that edge
uniform isampler2D uFrames;   // its quaternion
uniform vec2 uSection;        // the one of all edges, where they are alike
uniform vec3 uOrigin;
uniform float uScale, uThickness;
uniform float uPush; // overlaid runs lie this many thicknesses deeper, so that alike ones do not flicker through each other
uniform vec2 uPixel; // half size of the thinnest rod: per unit of view depth, and everywhere
varying vec3 vWorld, vNormal;
varying vec4 vSection; // place on the section, half sizes over the larger one
varying float vValue;

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

void main() {
  int at = int(aWhere.x + 0.5) + gl_InstanceID * int(aWhere.y + 0.5);
  if (at >= int(aWhere.z + 0.5)) { // the last instance is not full
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec4 segment = texelFetch(uSegments, ivec2(at & 1023, at >> 10), 0);
  first = int(segment.x + 0.5);
  int k = int(segment.y + 0.5);
  edges = int(segment.z + 0.5);
  ring = segment.w > 0.5;
  float u = aPoint.z;

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
  vec3 centre = p0 + (3.0 * u2 - 2.0 * u3) * chord + (u3 - 2.0 * u2 + u) * m0 + (u3 - u2) * m1;
  vec3 t = direction((6.0 * u - 6.0 * u2) * chord + (3.0 * u2 - 4.0 * u + 1.0) * m0 + (3.0 * u2 - 2.0 * u) * m1, along);

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
  vec3 d2 = cross(t, d1);

  float inside = clamp(w, 0.0, 1.0);
  ivec2 ta = texel(edgeAt(e)), tb = texel(edgeAt(e + 1));
  #ifdef COLOURED
    vValue = mix(texelFetch(uNodes, ta, 0).w, texelFetch(uNodes, tb, 0).w, inside);
  #endif
  #ifdef ONE_SECTION
    vec2 half2 = uSection * (uScale * uThickness);
  #else
    vec2 half2 = mix(texelFetch(uSections, ta, 0).xy, texelFetch(uSections, tb, 0).xy, inside) * (uScale * uThickness);
  #endif

  vec3 world = uOrigin + uScale * centre;
  float depth = -(viewMatrix * vec4(world, 1.0)).z;
  half2 = max(half2, vec2(uPixel.x * max(depth, 0.0) + uPixel.y));
  world += d1 * (aPoint.x * half2.x) + d2 * (aPoint.y * half2.y);
  #ifndef DEPTH
  vNormal = normalize(d1 * (aNormal.x / half2.x) * min(half2.x, half2.y) + d2 * (aNormal.y / half2.y) * min(half2.x, half2.y) + t * aNormal.z);
  vWorld = world;
  vSection = vec4(aPoint.xy, half2 / max(half2.x, half2.y));
  #endif
  vec4 seen = viewMatrix * vec4(world, 1.0);
  gl_Position = projectionMatrix * seen;
  if (uPush > 0.0) {
    seen.xyz *= 1.0 + uPush * max(half2.x, half2.y) / length(seen.xyz);
    vec4 deeper = projectionMatrix * seen;
    gl_Position.z = deeper.z / deeper.w * gl_Position.w;
  }
}
`;

// Two tones on either side of d1, and a stripe along d1 itself: twist is read off the surface. Coloured by a quantity: that colour alone.
export const ROD_FRAGMENT = /* glsl */ `
precision highp float;
${SHADING_GLSL}
uniform sampler2D uMap;
uniform vec2 uRange;     // value -> 0..1: (value - x) * y
uniform float uOpacity, uTinted;
uniform vec3 uToneA, uToneB, uStripe;
varying vec3 vWorld, vNormal;
varying vec4 vSection;
varying float vValue;
void main() {
  float fine = max(fwidth(vSection.y), 1e-4);
  float side = smoothstep(-fine, fine, vSection.y);
  float from = max(abs(vSection.y) * vSection.w, (1.0 - vSection.x) * vSection.z);
  float soft = max(fwidth(from), 1e-4);
  float stripe = smoothstep(soft, -soft, from - 0.15) * clamp(0.35 / soft, 0.0, 1.0);
  vec3 a = uToneA, b = uToneB, mark = uStripe;
  #ifdef COLOURED
    vec3 c = texture2D(uMap, vec2(clamp((vValue - uRange.x) * uRange.y, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
    c = c * c * (0.3 + 0.7 * c); // about sRGB to linear
    // One colour all around, no stripe: it is read against the legend. Overlaid runs keep a half of their own.
    a = mark = c;
    b = mix(c, uToneB, uTinted * 0.8);
  #endif
  vec3 albedo = mix(mix(b, a, side), mark, stripe);
  gl_FragColor = vec4(encode(shaded(albedo, normalize(vNormal), vWorld, 0.16)), uOpacity);
}
`;

export const DEPTH_FRAGMENT = /* glsl */ `
precision highp float;
void main() { gl_FragColor = vec4(1.0); }
`;
