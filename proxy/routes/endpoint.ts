import type { AccessTier } from "../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import { type Answer, problem } from "../request/answer.ts";
import { isTierEnough } from "../request/is-tier-enough.ts";
import type { Problem } from "../request/problems.ts";
import { type ParameterRules, type ParameterValues, readParameters } from "../request/read-parameters.ts";
import type { DelegateAnswers } from "../snapshot/delegate-answers.ts";
import type { EndpointAbout } from "./endpoint-about.ts";

/** A request that was admitted, as an endpoint sees it. */
export interface EndpointRequest {
  readonly tier: AccessTier;
  /** The id in the path, decoded: a key to look up and never a part of a file's name. */
  readonly pathId: string;
  readonly query: URLSearchParams;
  readonly snapshot: SnapshotReader;
  readonly delegates: DelegateAnswers;
}

/** One endpoint as it is written down: what it takes, who may ask, and where the answer lies. */
export interface EndpointPlan<Rules extends ParameterRules> {
  /** The route's template; at most one `:name`. */
  readonly url: string;
  readonly lowestTier: AccessTier;
  readonly parameters: Rules;
  /** What a parameter asks for beyond the caller's tier, judged before whether it is valid. */
  readonly beyondTier?: (query: URLSearchParams, tier: AccessTier) => Problem | undefined;
  readonly find: (values: ParameterValues<Rules>, request: EndpointRequest) => Answer;
}

/** One endpoint as the server uses it. */
export interface Endpoint {
  readonly url: string;
  readonly lowestTier: AccessTier;
  readonly parameters: ParameterRules;
  readonly answer: (request: EndpointRequest) => Answer;
}

/** An endpoint that callers are told of. */
export interface DescribedEndpoint extends Endpoint {
  readonly about: EndpointAbout;
}

/** Puts the later steps around an endpoint, in their constant order: tier, parameter tier, parameter validity, existence. */
export function defineEndpoint<Rules extends ParameterRules>(plan: EndpointPlan<Rules>): Endpoint {
  const { url, lowestTier, parameters } = plan;
  return {
    url,
    lowestTier,
    parameters,
    answer: (request) => {
      if (!isTierEnough(request.tier, lowestTier)) return problem("endpoint-needs-pro");
      const beyond = plan.beyondTier?.(request.query, request.tier);
      if (beyond !== undefined) return problem(beyond);
      const read = readParameters(request.query, parameters);
      if (read.kind === "problem") return problem(read.problem);
      return plan.find(read.values, request);
    },
  };
}

/** As `defineEndpoint`, with the words for callers, where every parameter must have its own. */
export function describeEndpoint<Rules extends ParameterRules>(
  about: EndpointAbout<keyof Rules & string>,
  plan: EndpointPlan<Rules>,
): DescribedEndpoint {
  return { ...defineEndpoint(plan), about };
}
