import type { z } from "zod";
import { ACCESS_TIERS, type AccessTier } from "../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import type { Problem } from "./problems.ts";
import type { EndpointResponse } from "./response.ts";

/** One query parameter: what its text must be, what to answer when it is not, and its words for callers. */
export interface ParameterRule<Value> {
  readonly shape: z.ZodType<Value, string>;
  readonly invalid: Problem;
  readonly description: string;
  /** What OpenAPI says in place of the shape, where that is a text which stands for something else. */
  readonly values?: { readonly type: "integer"; readonly enum: readonly number[] };
  /** What holds where the parameter is not sent; absent where nothing does. */
  readonly default?: string | number;
  readonly isRequired?: true;
  readonly example?: string | number;
  /** Below Pro nobody may send it above this maximum, or at all where there is none. */
  readonly beyondFree?: { readonly problem: Problem; readonly maximum?: number };
}

type ParameterRules = Readonly<Record<string, ParameterRule<unknown>>>;

/** The values read by a set of rules; a parameter that was not sent is absent. */
type ParameterValues<Rules extends ParameterRules> = {
  readonly [Name in keyof Rules]?: Rules[Name] extends ParameterRule<infer Value> ? Value : never;
};

/** A request that was admitted, as an endpoint sees it. */
interface EndpointRequest {
  readonly tier: AccessTier;
  /** The id in the path, decoded: a key to look up and never a part of a file's name. */
  readonly pathId: string;
  readonly query: URLSearchParams;
  readonly snapshot: SnapshotReader;
}

/** One endpoint, whole: its path, its tier, its parameters, its words for OpenAPI, and where the response lies. */
export interface Endpoint<Rules extends ParameterRules = ParameterRules> {
  /** The route's template; at most one `:name`. */
  readonly url: string;
  /** Of the tiers whose lack is a problem in words of its own: `endpoint-needs-pro` would mislead about any other. */
  readonly lowestTier: Extract<AccessTier, "free" | "pro">;
  readonly operationId: string;
  readonly tag: "DAOs" | "Index" | "Entities";
  readonly summary: string;
  readonly description: string;
  /** Without it the query is not read, and nothing about it can be wrong. */
  readonly parameters?: Rules;
  /** The body of a 200, and whether callers may keep it under its ETag; absent where there is none yet. */
  readonly answers?: { readonly shape: z.ZodType; readonly mayBeKept: boolean };
  /** What `find` and `beyondFree` may answer with. What every endpoint meets, and bad parameters, follow by themselves. */
  readonly refusals: readonly Problem[];
  // Method syntax: endpoints with different parameters stand in one list.
  find(values: ParameterValues<Rules>, request: EndpointRequest): EndpointResponse;
}

export function defineEndpoint<Rules extends ParameterRules>(endpoint: Endpoint<Rules>): Endpoint<Rules> {
  return endpoint;
}

/** The last steps of a request, in their constant order: tier, parameter tier, parameter validity, existence. */
export function answerOf(endpoint: Endpoint, request: EndpointRequest): EndpointResponse {
  const { lowestTier, parameters } = endpoint;
  if (!isTierEnough(request.tier, lowestTier)) return "endpoint-needs-pro";
  if (parameters === undefined) return endpoint.find({}, request);
  const beyond = isTierEnough(request.tier, "pro") ? undefined : beyondFree(request.query, parameters);
  if (beyond !== undefined) return beyond;
  const values = readParameters(request.query, parameters);
  return typeof values === "string" ? values : endpoint.find(values, request);
}

/** Whether a tier may do what `needed` may: a higher tier includes the lower ones. */
function isTierEnough(tier: AccessTier, needed: AccessTier): boolean {
  return ACCESS_TIERS.indexOf(tier) >= ACCESS_TIERS.indexOf(needed);
}

const DIGITS = /^[0-9]+$/;

/**
 * What a Free caller asks for beyond its tier, whether it is valid or not: a run of digits above the maximum, however
 * long. Such a value given twice is left to validity: there is no one value to judge.
 */
function beyondFree(query: URLSearchParams, rules: ParameterRules): Problem | undefined {
  for (const [name, { beyondFree }] of Object.entries(rules)) {
    const [text, ...more] = query.getAll(name);
    if (beyondFree === undefined || text === undefined) continue;
    const { problem, maximum } = beyondFree;
    if (maximum === undefined) return problem;
    // A long run of digits becomes Infinity at worst, which is above the maximum as well.
    if (more.length === 0 && DIGITS.test(text) && Number(text) > maximum) return problem;
  }
  return undefined;
}

/**
 * Reads a query strictly: an unknown name, a name given twice and an empty value are refused, because a filter that is
 * silently dropped gives wrong data.
 */
function readParameters<Rules extends ParameterRules>(
  query: URLSearchParams,
  rules: Rules,
): ParameterValues<Rules> | Problem {
  const values: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return "parameter-unknown";
    const parsed = rule.shape.safeParse(text);
    if (!parsed.success || Object.hasOwn(values, name)) return rule.invalid;
    values[name] = parsed.data;
  }
  // Every value was parsed by the rule of its own name just above.
  return values as ParameterValues<Rules>;
}
