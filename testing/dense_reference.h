// Dense answers to compare with, compiled once: Eigen's factorisations are most of what it costs to compile a test that uses them.
#pragma once

#include <Eigen/Core>

namespace tendril {

Eigen::MatrixXd dense_solution(const Eigen::MatrixXd& a,
                               const Eigen::MatrixXd& right);  // of  a x = right, by LU with full pivoting
Eigen::MatrixXd dense_inverse(const Eigen::MatrixXd& a);
Eigen::VectorXd dense_eigenvalues(const Eigen::MatrixXd& a);  // of a symmetric matrix, rising
int dense_negatives(const Eigen::MatrixXd& a);                // how many of them are below zero

}  // namespace tendril
