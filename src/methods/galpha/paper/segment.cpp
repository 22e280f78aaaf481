#include "methods/galpha/paper/segment.h"

#include "math/rotation.h"

namespace tendril::galpha::paper {

Rows lambda(const Segment& segment, const Point& at) {
  const Vec3 spun = segment.inertia.cwiseProduct(at.w), d3 = Vec3::UnitZ();
  Rows rows;
  rows.segment<3>(0) = segment.mass * (at.w.cross(at.u) + segment.damping * at.u) - at.k.cross(at.n) - at.f;
  rows.segment<3>(3) = at.w.cross(spun) + segment.damping * spun - at.k.cross(at.m) - d3.cross(at.n) - at.l;
  rows.segment<3>(6) = at.w.cross(at.k);
  rows.segment<3>(9) = at.w.cross(d3) - at.k.cross(at.u);
  return rows;
}

void lambda_tangent(const Segment& segment, const Point& at, const Vec3& stiffness, Tangent& out) {
  const Vec3 spun = segment.inertia.cwiseProduct(at.w), d3 = Vec3::UnitZ();
  const Mat3 u = skew(at.u), w = skew(at.w), k = skew(at.k), along = skew(d3);
  out.setZero();
  out.block<3, 3>(0, of_u) = segment.mass * (w + segment.damping * Mat3::Identity());
  out.block<3, 3>(0, of_w) = -segment.mass * u;
  out.block<3, 3>(0, of_k) = skew(at.n);
  out.block<3, 3>(0, of_n) = -k;
  out.block<3, 3>(0, of_turn) = -skew(at.world_f);  // R^T f becomes R^T f + (R^T f) x turn
  out.block<3, 3>(3, of_w) = w * segment.inertia.asDiagonal() - skew(spun);
  out.block<3, 3>(3, of_w).diagonal() += segment.damping * segment.inertia;
  out.block<3, 3>(3, of_k) = skew(at.m) - k * stiffness.asDiagonal();
  out.block<3, 3>(3, of_n) = -along;
  out.block<3, 3>(3, of_turn) = -skew(at.world_l);
  out.block<3, 3>(6, of_w) = -k;
  out.block<3, 3>(6, of_k) = w;
  out.block<3, 3>(9, of_u) = -k;
  out.block<3, 3>(9, of_w) = -along;
  out.block<3, 3>(9, of_k) = u;
}

}  // namespace tendril::galpha::paper
