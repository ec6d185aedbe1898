import type { Space } from "../facts/space.ts";
import type { GuardrailMeasures } from "./measures.ts";
import { METHODOLOGY } from "./methodology.ts";
import { meaningfulQuorum, type QuorumProposal } from "./quorum-rate.ts";

/** A space's rules as plain data. */
export function guardrailMeasures(space: Space | undefined): GuardrailMeasures {
  return {
    isProposingGated: space?.isProposingGated,
    hasFixedPeriod: space?.hasFixedPeriod,
    quorum: space?.quorum,
    guardiansCount: space?.adminsAndModeratorsCount,
  };
}

/** Whether the space asks for a quorum that means something: its own setting, or else its latest proposal's. */
function asksForQuorum(
  spaceQuorum: number | undefined,
  members: readonly QuorumProposal[],
  least: number | undefined,
): boolean | undefined {
  const latest = members.findLast((member) => member.quorum !== undefined);
  // The space's own setting does not say of which kind it is; the latest proposal made under it does.
  if (latest?.isQuorumRejection) return undefined;
  const quorum = spaceQuorum ?? latest?.quorum;
  if (quorum === undefined) return undefined;
  if (quorum === 0) return false;
  return least === undefined ? undefined : quorum >= least;
}

/** Mean of the guardrails that are known, of at least two. */
export function guardrails(
  rules: GuardrailMeasures,
  members: readonly QuorumProposal[],
  least: number | undefined = meaningfulQuorum(members),
): number | undefined {
  const { guardiansMin, guardrailsMin } = METHODOLOGY.process;
  const guardians = rules.guardiansCount;
  const rails = [
    rules.isProposingGated,
    rules.hasFixedPeriod,
    asksForQuorum(rules.quorum, members, least),
    guardians === undefined ? undefined : guardians >= guardiansMin,
  ].filter((rail) => rail !== undefined);
  if (rails.length < guardrailsMin) return undefined;
  return rails.filter((rail) => rail).length / rails.length;
}
