// The fibres of tresses, in the vertex shader, from the texels of their guides; src/view/fibres.h has the formula. Shaded at their points: there are
// many more pixels of hair than points of it.
import { CURVE_GLSL } from "./curve_shader";
import { SHADING_GLSL } from "./shading";

export const TEXELS = 5; // of a fibre in uFibres

const GUIDE_GLSL = /* glsl */ `
Curve guideAt(vec4 guide, float along) {
  first = int(guide.x + 0.5);
  edges = int(guide.y + 0.5);
  ring = (int(guide.z + 0.5) & 1) == 1;
  float s = along * guide.y;
  int k = min(int(s), edges - 1);
  return curveAt(k, s - float(k));
}
float valueAt(Curve on) { return mix(texelFetch(uNodes, texel(edgeAt(on.e)), 0).w, texelFetch(uNodes, texel(edgeAt(on.e + 1)), 0).w, clamp(on.w, 0.0, 1.0)); }
`;

// Each guide at each point, once for all its fibres: a picture with a row for each guide and three pixels for each point.
export const SAMPLE_VERTEX = /* glsl */ `
void main() { gl_Position = vec4(position, 1.0); }
`;
export const SAMPLE_FRAGMENT = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
uniform sampler2D uGuides; // first node, edges, 1 for a ring
uniform int uPoints;
${CURVE_GLSL}${GUIDE_GLSL}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 guide = texelFetch(uGuides, ivec2(at.y & 1023, at.y >> 10), 0);
  Curve on = guideAt(guide, float(at.x / 3) / float(uPoints - 1));
  int which = at.x % 3;
  gl_FragColor = which == 0 ? vec4(on.centre, valueAt(on)) : vec4(which == 1 ? on.d1 : on.d2, 0.0);
}
`;

export const FIBRE_VERTEX = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
${SHADING_GLSL}
attribute vec3 aWhere;       // fibre within the instance, along it 0..1, side of a ribbon
uniform sampler2D uFibres;   // three guides: first node, edges, 2 row + 1 for a ring, weight; place at start and end; tone, half thickness, 1/spread
uniform ivec4 uDrawn;        // fibres per instance, one in how many, of how many, points of each
uniform sampler2D uSamples;  // by row: the guide at each point: centre and value, d1, d2
uniform vec3 uOrigin, uHairA, uHairB;
uniform float uScale, uThickness;
uniform vec2 uPixel;         // least half thickness: per unit of view depth, and everywhere
uniform sampler2D uMap;
uniform vec2 uRange;
uniform ivec2 uTarget;       // size of the picture that points are read from
varying vec4 vColour;

${CURVE_GLSL}${GUIDE_GLSL}
vec4 fibreTexel(int fibre, int k) { int i = ${TEXELS} * fibre + k; return texelFetch(uFibres, ivec2(i & 1023, i >> 10), 0); }

// Light on a thin thread: as much as falls across it, and a shine on the cone of its reflections (Kajiya and Kay). The other fibres of its lock take
// some: those inside it, and on the side away from the light, are darker. \`out1\`: from the middle of the lock, 1 at its surface.
vec3 threadLit(vec3 albedo, vec3 t, vec3 out1, vec3 world) {
  vec3 toEye = cameraPosition - world;
  float away = length(toEye);
  toEye /= away;
  float along = dot(t, uKey), across = sqrt(max(0.0, 1.0 - along * along));
  float light = clamp(0.55 + 0.5 * dot(out1, uKey), 0.2, 1.0);
  float half1 = dot(t, normalize(uKey + toEye)), shine = pow(max(0.0, 1.0 - half1 * half1), 30.0);
  vec3 c = albedo * (mix(uEarth, uSky, 0.6) * mix(0.55, 1.0, light) + uSun * across * light);
  return fogged(c + 0.22 * shine * light * uSun * (0.25 + albedo), away);
}

void main() {
  int drawn = int(aWhere.x + 0.5) + gl_InstanceID * uDrawn.x, fibre = drawn * uDrawn.y;
  if (fibre >= uDrawn.z) { // the last instance is not full
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec4 place = fibreTexel(fibre, 3), look = fibreTexel(fibre, 4);
  vec2 ab = mix(place.xy, place.zw, aWhere.y);
  vec3 centre = vec3(0.0), t = vec3(0.0), out1 = vec3(0.0);
  float value = 0.0;
  for (int g = 0; g < 3; ++g) {
    vec4 guide = fibreTexel(fibre, g);
    if (guide.w == 0.0) break;
    #ifdef SAMPLED
      ivec2 at = ivec2(3 * int(aWhere.y * float(uDrawn.w - 1) + 0.5), int(guide.z + 0.5) / 2);
      vec4 middle = texelFetch(uSamples, at, 0);
      vec3 d1 = texelFetch(uSamples, at + ivec2(1, 0), 0).xyz, d2 = texelFetch(uSamples, at + ivec2(2, 0), 0).xyz;
      vec3 beside = ab.x * d1 + ab.y * d2;
      centre += guide.w * (middle.xyz + beside);
      t += guide.w * cross(d1, d2);
      value += guide.w * middle.w;
    #else
      Curve on = guideAt(guide, aWhere.y);
      vec3 beside = ab.x * on.d1 + ab.y * on.d2;
      centre += guide.w * (on.centre + beside);
      t += guide.w * on.t;
      value += guide.w * valueAt(on);
    #endif
    out1 += guide.w * beside;
  }
  #ifdef READ_BACK // each point to a pixel of its own
    int point = drawn * uDrawn.w + int(aWhere.y * float(uDrawn.w - 1) + 0.5);
    vColour = vec4(centre, 1.0);
    gl_Position = vec4((vec2(float(point % uTarget.x), float(point / uTarget.x)) + 0.5) / vec2(uTarget) * 2.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    return;
  #endif
  t = direction(t, vec3(1.0, 0.0, 0.0));
  vec3 world = uOrigin + uScale * centre;
  #ifndef DEPTH
    vec3 albedo = mix(uHairA, uHairB, look.x);
    #ifdef COLOURED
      vec3 c = texture2D(uMap, vec2(clamp((value - uRange.x) * uRange.y, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
      albedo = c * c * (0.3 + 0.7 * c); // about sRGB to linear
    #endif
    vColour = vec4(encode(threadLit(albedo, t, out1 * look.z, world)), 1.0);
  #endif
  if (aWhere.z != 0.0) {
    vec3 seen = world - cameraPosition;
    float depth = -(viewMatrix * vec4(world, 1.0)).z;
    float thick = max(look.y * uScale * uThickness, uPixel.x * max(depth, 0.0) + uPixel.y);
    world += aWhere.z * thick * direction(cross(t, seen), vec3(0.0));
  }
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}
`;

export const FIBRE_FRAGMENT = /* glsl */ `
precision highp float;
varying vec4 vColour;
void main() { gl_FragColor = vColour; }
`;
