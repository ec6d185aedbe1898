import type { z } from "zod";

/** What a value of each kind is called by who writes YAML. */
const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list (lines that begin with a dash)",
  object: "a group of keys",
};

/** What is counted of a value that is too small or too large. */
const COUNTED: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

/** Sentences of our own shapes are kept; those of zod speak to programmers. */
const IS_OF_ZOD = /^(Invalid|Too|Unrecognized)\b/;

/** Why a value of the registry is refused, as a sentence that goes on after its name: `must be …`, `is missing: …`. */
export function reasonOfIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.at(-1);
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (field === "space_id" && issue.code === "invalid_format") {
    return "must be lower-case letters, digits, dots, dashes, underscores, and begin with a letter or digit";
  }
  if (field === "entity_id" && issue.code === "invalid_format") {
    return "must be ent_ and 26 lower-case letters or digits";
  }
  if (!IS_OF_ZOD.test(issue.message)) return issue.message;
  if (issue.code === "invalid_type") {
    const wanted = `must be ${KINDS[issue.expected] ?? issue.expected}`;
    return issue.message.endsWith("received undefined") ? `is missing: ${wanted}` : wanted;
  }
  if (issue.code === "too_small") {
    return `must ${COUNTED[issue.origin] === undefined ? "be" : "have"} at least ${issue.minimum}${COUNTED[issue.origin] ?? ""}`;
  }
  if (issue.code === "too_big") {
    return `must ${COUNTED[issue.origin] === undefined ? "be" : "have"} at most ${issue.maximum}${COUNTED[issue.origin] ?? ""}`;
  }
  return "is not what is wanted here";
}
