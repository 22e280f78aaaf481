// Light, shadow, fog and themes: the one way every surface of the scene is shaded, so that rods, bodies and ground agree.
import { Color, Matrix4, Vector2, Vector3, type IUniform, type Texture } from "three";

export interface Theme {
  top: string; // background
  bottom: string;
  sky: string; // light from above and below
  skyPower: number;
  earth: string;
  sunPower: number;
  ground: string;
  grid: string;
  gridPower: number;
  shadow: number; // how dark a shadow makes the ground
  rim: number; // < 0 darkens silhouettes, > 0 lightens them
  toneA: string; // of an uncoloured rod
  toneB: string;
  stripe: string;
  hairA: string; // fibres of a tress lie between these two
  hairB: string;
  body: string;
  obstacle: string;
  clamp: string;
}

export const LIGHT: Theme = {
  top: "#fdfdfc", bottom: "#e4e8ec", sky: "#f4f8ff", skyPower: 0.62, earth: "#b9aa98", sunPower: 0.72,
  ground: "#eef0f2", grid: "#5d6f80", gridPower: 0.2, shadow: 0.34, rim: -0.45,
  toneA: "#f0d9ae", toneB: "#2a6f97", stripe: "#d1442a", hairA: "#3d2413", hairB: "#8a5a34", body: "#b6bfc9", obstacle: "#c9c5bd", clamp: "#5b6470",
};
export const DARK: Theme = {
  top: "#10141a", bottom: "#1d242d", sky: "#c5d6ee", skyPower: 0.46, earth: "#4a4038", sunPower: 0.86,
  ground: "#252d37", grid: "#9db4cc", gridPower: 0.16, shadow: 0.7, rim: 0.22,
  toneA: "#f1dcb4", toneB: "#3f8fbd", stripe: "#ff6a45", hairA: "#6b4526", hairB: "#c08a57", body: "#8d99a8", obstacle: "#6f7680", clamp: "#9aa5b3",
};

export const linear = (css: string): Vector3 => {
  const colour = new Color(css); // three holds colours in linear light
  return new Vector3(colour.r, colour.g, colour.b);
};

// Uniforms shared by every material: changed once, seen by all.
export class Shading {
  theme: Theme = LIGHT;
  readonly uniforms: Record<string, IUniform> = {
    uKey: { value: new Vector3(0.4, -0.5, 0.8).normalize() },
    uUp: { value: new Vector3(0, 0, 1) },
    uSky: { value: new Vector3() },
    uEarth: { value: new Vector3() },
    uSun: { value: new Vector3() },
    uFogColour: { value: new Vector3() },
    uFog: { value: new Vector2(1, 10) }, // view distances where it begins and where it is full
    uRim: { value: 0 },
    uShadowMap: { value: null as Texture | null },
    uShadowMatrix: { value: new Matrix4() },
    uShadowTexel: { value: 1 / 1024 },
    uShadowOffset: { value: 0.002 },
    uShadowOn: { value: 0 },
    uShadowSoft: { value: 0.006 }, // of the map
  };
  constructor() { this.setTheme(LIGHT); }
  setTheme(theme: Theme): void {
    this.theme = theme;
    const u = this.uniforms;
    u.uSky.value.copy(linear(theme.sky)).multiplyScalar(theme.skyPower);
    u.uEarth.value.copy(linear(theme.earth)).multiplyScalar(theme.skyPower * 0.75);
    u.uSun.value.set(1, 0.97, 0.92).multiplyScalar(theme.sunPower);
    u.uFogColour.value.copy(linear(theme.bottom)).lerp(linear(theme.top), 0.4);
    u.uRim.value = theme.rim;
  }
}

// GLSL for fragments. `lit` is 1 in full light; the normal offset keeps a surface from shading itself.
export const SHADING_GLSL = /* glsl */ `
precision highp sampler2DShadow;
uniform vec3 uKey, uUp, uSky, uEarth, uSun, uFogColour;
uniform vec2 uFog;
uniform float uRim, uShadowSoft, uShadowTexel, uShadowOffset, uShadowOn;
uniform mat4 uShadowMatrix;
uniform sampler2DShadow uShadowMap;

float lit(vec3 world, vec3 normal, float spread) {
  if (uShadowOn < 0.5) return 1.0;
  vec3 p = (uShadowMatrix * vec4(world + normal * uShadowOffset, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float r = uShadowTexel * spread;
  float sum = texture(uShadowMap, p + vec3(-0.94 * r, -0.34 * r, 0.0)) + texture(uShadowMap, p + vec3(0.34 * r, -0.94 * r, 0.0))
            + texture(uShadowMap, p + vec3(0.94 * r, 0.34 * r, 0.0)) + texture(uShadowMap, p + vec3(-0.34 * r, 0.94 * r, 0.0));
  vec2 edge = abs(p.xy - 0.5) * 2.0;
  return mix(sum * 0.25, 1.0, smoothstep(0.92, 1.0, max(edge.x, edge.y)));
}
// Wide and soft, for the ground: five looks decide whether it is worth sixteen more.
float litSoftly(vec3 world, vec3 normal, float spread) {
  if (uShadowOn < 0.5) return 1.0;
  vec3 p = (uShadowMatrix * vec4(world + normal * uShadowOffset, 1.0)).xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = texture(uShadowMap, p);
  for (int i = 0; i < 4; ++i) {
    float a = 1.5708 * float(i) + 0.35;
    sum += texture(uShadowMap, p + vec3(cos(a), sin(a), 0.0) * spread);
  }
  if (sum < 0.01 || sum > 4.99) return sum * 0.2;
  for (int i = 0; i < 16; ++i) {
    float a = 2.399963 * float(i), r = sqrt((float(i) + 0.5) / 16.0) * spread;
    sum += texture(uShadowMap, p + vec3(cos(a) * r, sin(a) * r, 0.0));
  }
  return sum / 21.0;
}
vec3 encode(vec3 c) { return mix(12.92 * c, 1.055 * pow(max(c, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
vec3 fogged(vec3 c, float distance) { return mix(c, uFogColour, 0.55 * smoothstep(uFog.x, uFog.y, distance)); }

vec3 shaded(vec3 albedo, vec3 normal, vec3 world, float gloss) {
  vec3 toEye = cameraPosition - world;
  float away = length(toEye);
  toEye /= away;
  float direct = dot(normal, uKey);
  float wrapped = clamp(direct * 0.8 + 0.2, 0.0, 1.0);
  float light = wrapped > 0.0 ? wrapped * mix(0.12, 1.0, lit(world, normal, 1.2)) : 0.0;
  vec3 around = mix(uEarth, uSky, 0.5 + 0.5 * dot(normal, uUp));
  float facing = clamp(dot(normal, toEye), 0.0, 1.0);
  float rim = pow(1.0 - facing, 3.0);
  vec3 c = albedo * (around + uSun * light);
  float shine = pow(max(dot(normal, normalize(uKey + toEye)), 0.0), 48.0);
  c += gloss * shine * light * uSun;
  c = uRim < 0.0 ? c * (1.0 + uRim * rim) : c + uRim * rim * uSky * (0.3 + albedo);
  return fogged(c, away);
}
`;
