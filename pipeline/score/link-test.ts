import { METHODOLOGY } from "./methodology.ts";

const { coincidencesMin, coincidenceShareMin, falseLinks } = METHODOLOGY.coordination;

const logFactorials: number[] = [0, 0];

/** ln k!, summed upwards. */
function logFactorial(k: number): number {
  for (let next = logFactorials.length; next <= k; next += 1) {
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  }
  return logFactorials[k] ?? 0;
}

/** ln C(m, j): in how many ways j of m proposals can be the coincident ones. */
function logSubsets(common: number, coincidences: number): number {
  return logFactorial(common) - logFactorial(coincidences) - logFactorial(common - coincidences);
}

/** ln(N(N−1)/2): how many pairs so many voters make. */
export function logPairs(voters: number): number {
  return Math.log((voters * (voters - 1)) / 2);
}

/** Whether so many coincidences among so many common proposals are enough to be looked at. */
export function isTestable(coincidences: number, common: number): boolean {
  return coincidences >= coincidencesMin && coincidences >= common * coincidenceShareMin;
}

/** What the surprise of a testable pair must exceed among so many voters (a union bound over pairs, subset sizes and subsets). */
export function linkBound(coincidences: number, common: number, logPairsOfVoters: number): number {
  return logPairsOfVoters + logSubsets(common, coincidences) + Math.log(common) + Math.log(1 / falseLinks);
}
