import type { z } from "zod";
import { ACCESS_TIERS, type AccessTier } from "../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../snapshots/store/read/snapshot-reader.ts";
import type { Problem } from "./problems.ts";
import { type EndpointResponse, problem } from "./response.ts";

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
  /** A value that only a higher tier may send, where the endpoint itself is open to lower ones. */
  readonly beyondFree?: { readonly maximum: number } | "any value";
}

/** The parameters an endpoint takes, by their exact names. */
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
  /** What `find` and `beyondTier` may answer with. What every endpoint meets, and bad parameters, follow by themselves. */
  readonly refusals: readonly Problem[];
  /** What a parameter asks for beyond the caller's tier, judged before whether it is valid. */
  readonly beyondTier?: (query: URLSearchParams, tier: AccessTier) => Problem | undefined;
  // Method syntax: endpoints with different parameters stand in one list.
  find(values: ParameterValues<Rules>, request: EndpointRequest): EndpointResponse;
}

/** An endpoint with the types of its parameters worked out. */
export function defineEndpoint<Rules extends ParameterRules>(endpoint: Endpoint<Rules>): Endpoint<Rules> {
  return endpoint;
}

/** Whether a tier may do what `needed` may: a higher tier includes the lower ones. */
export function isTierEnough(tier: AccessTier, needed: AccessTier): boolean {
  return ACCESS_TIERS.indexOf(tier) >= ACCESS_TIERS.indexOf(needed);
}

/** The last steps of a request, in their constant order: tier, parameter tier, parameter validity, existence. */
export function answerOf(endpoint: Endpoint, request: EndpointRequest): EndpointResponse {
  if (!isTierEnough(request.tier, endpoint.lowestTier)) return problem("endpoint-needs-pro");
  const beyond = endpoint.beyondTier?.(request.query, request.tier);
  if (beyond !== undefined) return problem(beyond);
  const values = endpoint.parameters === undefined ? {} : readParameters(request.query, endpoint.parameters);
  return typeof values === "string" ? problem(values) : endpoint.find(values, request);
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
