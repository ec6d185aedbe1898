import { type Document, isNode, isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { RegistryProblem } from "./registry-problem.ts";

/** A path into a document, as zod names it. */
export type YamlPath = readonly PropertyKey[];

/** A parsed YAML text: its value, where each part of it stood, and what was wrong with it as YAML. */
export interface YamlText {
  /** `undefined` where there are problems. */
  readonly value: unknown;
  readonly problems: readonly RegistryProblem[];
  /** Line of the part at `path`, or of the nearest part around it that is there. */
  lineOf(path: YamlPath): number | undefined;
}

/** Reads YAML strictly: no key twice, no tags, no anchors that could make little text into endless data. */
export function readYaml(text: string): YamlText {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, strict: true, uniqueKeys: true, prettyErrors: false });
  const problems: RegistryProblem[] = [...document.errors, ...document.warnings].map((error) => ({
    line: lineCounter.linePos(error.pos[0]).line,
    message: error.message,
  }));
  visit(document, {
    Alias(_key, alias) {
      const line = alias.range == null ? undefined : lineCounter.linePos(alias.range[0]).line;
      problems.push({ line, message: "aliases (*name) are not taken: write it out" });
    },
  });
  return {
    value: problems.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 }),
    problems,
    lineOf: (path) => lineOf(document, lineCounter, path),
  };
}

function lineOf(document: Document, lineCounter: LineCounter, path: YamlPath): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const offset = offsetOf(document, path.slice(0, length));
    if (offset !== undefined) return lineCounter.linePos(offset).line;
  }
  return undefined;
}

/** A key's own place rather than its value's: the value may begin lines below. */
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
