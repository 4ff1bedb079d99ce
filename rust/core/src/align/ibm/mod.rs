//! IBM Models 1 and 2 (Brown et al. 1993) with EM, variational Bayes and Gibbs sampling (Mermer, Saraçlar and Sarikaya 2013).
