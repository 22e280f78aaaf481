// The tube of one segment, bent and framed in the vertex shader. Nodes and edges live in textures (rod_data.ts); one instance is a number of edges.
// Half sizes and colour values belong to the middles of edges and are blended between them, as frames are (curve_shader.ts).
import { CURVE_GLSL } from "./curve_shader";
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
uniform sampler2D uSections;  // half sizes a, b of the edge that starts at a node
uniform vec2 uSection;        // the one of all edges, where they are alike
uniform vec3 uOrigin;
uniform float uScale, uThickness;
uniform float uPush; // overlaid runs lie this many thicknesses deeper, so that alike ones do not flicker through each other
uniform vec2 uPixel; // half size of the thinnest rod: per unit of view depth, and everywhere
varying vec3 vWorld, vNormal;
varying vec4 vSection; // place on the section, half sizes over the larger one
varying float vValue;

${CURVE_GLSL}
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

  Curve on = curveAt(k, u);
  vec3 centre = on.centre, t = on.t, d1 = on.d1, d2 = on.d2;
  int e = on.e;
  float w = on.w;

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
