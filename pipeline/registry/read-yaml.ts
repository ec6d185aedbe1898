import { type Document, isNode, isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { z } from "zod";
import { type PipelineFailure, pipelineFailure } from "../facts/errors.ts";

export interface RegistryProblem {
  readonly line: number | undefined;
  readonly message: string;
}

/** A mistake repeated in a thousand lines must not scroll the other problems off the screen. */
const LISTED_MAX = 50;

/** Creates the error that lists the first problems of a registry, by line, and the number of the others. */
export function registryInvalid(
  fileName: string,
  problems: readonly RegistryProblem[],
  cause?: unknown,
): PipelineFailure {
  const lines = [...problems]
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ line, message }) => `${fileName}${line === undefined ? "" : `:${line}`}: ${message}`);
  const more = lines.length - LISTED_MAX;
  const listed = more > 0 ? [...lines.slice(0, LISTED_MAX), `… and ${more} more`] : lines;
  return pipelineFailure("REGISTRY_INVALID", listed.join("\n"), {
    hint: "Nothing was fetched or published. Correct the registry and run again.",
    cause,
  });
}

export type YamlPath = readonly PropertyKey[];

/** A parsed YAML text: its value, the line of each part, and problems of its syntax. */
export type YamlText = ReturnType<typeof readYaml>;

/** Parses YAML strictly: no duplicate keys, no tags, and no aliases, which could expand a short text into huge data. */
export function readYaml(text: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, strict: true, uniqueKeys: true, prettyErrors: false });
  const problems: RegistryProblem[] = [...document.errors, ...document.warnings].map((error) => ({
    line: lineCounter.linePos(error.pos[0]).line,
    message: error.message,
  }));
  visit(document, {
    Alias(_key, alias) {
      const line = alias.range == null ? undefined : lineCounter.linePos(alias.range[0]).line;
      problems.push({ line, message: "aliases (*name) are not allowed: write the value out" });
    },
  });
  return {
    /** `undefined` if there are problems. */
    value: problems.length > 0 ? undefined : (document.toJS({ maxAliasCount: 0 }) as unknown),
    problems,
    /** The line of the part at `path`, or of the nearest part that contains it. */
    lineOf(path: YamlPath): number | undefined {
      for (let length = path.length; length >= 0; length -= 1) {
        const offset = offsetOf(document, path.slice(0, length));
        if (offset !== undefined) return lineCounter.linePos(offset).line;
      }
      return undefined;
    },
  };
}

/** The offset of a key rather than of its value, which may begin lines below. */
function offsetOf(document: Document, path: YamlPath): number | undefined {
  const last = path.at(-1);
  const parent = document.getIn(path.slice(0, -1), true);
  if (typeof last === "string" && typeof parent === "object" && parent !== null && "items" in parent) {
    const items = Array.isArray(parent.items) ? parent.items : [];
    const pair = items.filter(isPair).find(({ key }) => isScalar(key) && key.value === last);
    return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  return isNode(node) ? node.range?.[0] : undefined;
}

/** Problems of one issue; each unknown key is reported at its own line. */
export function problemsOf(issue: z.core.$ZodIssue, yaml: YamlText): RegistryProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { line: yaml.lineOf(path), message: `${nameOf(path)}: there is no such key` };
    });
  }
  return [{ line: yaml.lineOf(issue.path), message: `${nameOf(issue.path)}: ${reasonOfIssue(issue)}` }];
}

/** `daos[3].category` */
function nameOf(path: YamlPath): string {
  const name = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return name === "" ? "the registry" : name;
}

/** The name of each type for people who write YAML. */
const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list (lines that begin with a dash)",
  object: "a group of keys",
};

/** What is counted in a value that is too small or too large. */
const COUNTED: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

/** Matches zod's own messages, which address programmers; messages of our shapes are kept. */
const IS_OF_ZOD = /^(Invalid|Too|Unrecognized)\b/;

/** Why a value of the registry is invalid, as a phrase that follows its name: `must be …`, `is missing: …`. */
function reasonOfIssue(issue: z.core.$ZodIssue): string {
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
  if (issue.code === "too_small" || issue.code === "too_big") {
    const counted = COUNTED[issue.origin];
    const limit = issue.code === "too_small" ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
    return `must ${counted === undefined ? "be" : "have"} ${limit}${counted ?? ""}`;
  }
  return "is not valid here";
}
