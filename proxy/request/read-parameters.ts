import type { z } from "zod";
import type { Problem } from "./problems.ts";

/** One query parameter: what its text must be, and what to say when it is not. */
export interface ParameterRule<Value> {
  readonly shape: z.ZodType<Value, string>;
  readonly invalid: Problem;
}

/** The parameters an endpoint takes, by their exact names. */
export type ParameterRules = Readonly<Record<string, ParameterRule<unknown>>>;

/** The values read by a set of rules; a parameter that was not sent is absent. */
export type ParameterValues<Rules extends ParameterRules> = {
  readonly [Name in keyof Rules]?: Rules[Name] extends ParameterRule<infer Value> ? Value : never;
};

/** Values, or the first thing that is wrong with the query. */
export type ReadParameters<Rules extends ParameterRules> =
  | { readonly kind: "values"; readonly values: ParameterValues<Rules> }
  | { readonly kind: "problem"; readonly problem: Problem };

/**
 * Reads a query strictly: an unknown name, a name given twice and an empty value are refused, because a
 * filter that is silently dropped gives wrong data.
 */
export function readParameters<Rules extends ParameterRules>(
  query: URLSearchParams,
  rules: Rules,
): ReadParameters<Rules> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of query) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) return { kind: "problem", problem: "parameter-unknown" };
    const parsed = rule.shape.safeParse(text);
    if (!parsed.success || Object.hasOwn(values, name)) return { kind: "problem", problem: rule.invalid };
    values[name] = parsed.data;
  }
  // Every value was parsed by the rule of its own name just above.
  return { kind: "values", values: values as ParameterValues<Rules> };
}
