import { type Document, isNode, isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import { z } from "zod";
import { type PipelineFailure, pipelineFailure } from "../facts/errors.ts";

/** One problem of a registry and its line. */
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

/** A path into a document, as in zod's issues. */
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

/** A value that occurs twice in a registry: the message and the path of the second occurrence. */
interface Repeat {
  readonly path: YamlPath;
  readonly message: string;
}

const Id = z.string().catch("");

/** The part of a registry in which repeats are searched. Invalid values are replaced here and reported elsewhere. */
const RepeatInput = z
  .object({
    daos: z.array(z.object({ space_id: Id }).catch({ space_id: "" })).catch([]),
    entities: z
      .array(
        z
          .object({ entity_id: Id, wallets: z.array(z.string().toLowerCase().catch("")).catch([]) })
          .catch({ entity_id: "", wallets: [] }),
      )
      .catch([]),
  })
  .catch({ daos: [], entities: [] });

/** Finds spaces, entities and wallets that occur twice; names both owners of a wallet. Accepts invalid registries. */
export function findRepeats(value: unknown): readonly Repeat[] {
  const { daos, entities } = RepeatInput.parse(value);
  const spaceIds = daos.map((dao) => dao.space_id);
  const entityIds = entities.map((entity) => entity.entity_id);
  return [
    ...repeatedIds("daos", "space_id", spaceIds),
    ...repeatedIds("entities", "entity_id", entityIds),
    ...repeatedWallets(entities),
  ];
}

function repeatedIds(list: string, field: string, ids: readonly string[]): Repeat[] {
  const seen = new Set<string>();
  return ids.flatMap((id, index) => {
    const isRepeat = id !== "" && seen.has(id);
    seen.add(id);
    const message = `${field} ${JSON.stringify(id)} is given twice`;
    return isRepeat ? [{ path: [list, index, field], message }] : [];
  });
}

function repeatedWallets(entities: z.infer<typeof RepeatInput>["entities"]): Repeat[] {
  const owners = new Map<string, string>();
  return entities.flatMap(({ entity_id, wallets }, index) => {
    const entity = entity_id === "" ? `entities[${index}]` : entity_id;
    return wallets.flatMap((wallet, position): Repeat[] => {
      const owner = owners.get(wallet);
      owners.set(wallet, owner ?? entity);
      if (wallet === "" || owner === undefined) return [];
      const between = owner === entity ? `twice in ${entity}` : `in both ${owner} and ${entity}`;
      return [{ path: ["entities", index, "wallets", position], message: `a wallet is given ${between}` }];
    });
  });
}
