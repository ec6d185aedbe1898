import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { systemErrorCode } from "../../snapshots/base/system-errors.ts";
import { EntityId, SpaceId } from "../../snapshots/format/ids.ts";
import { PublicText } from "../../snapshots/format/text.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import type { GovernorToken } from "../facts/delegation.ts";
import { type ChainSpace, ONCHAIN_SUFFIX, type Registry, type TrackedDao } from "../facts/tracked.ts";
import { PUBLISHER_FIELDS, publisherOf } from "./publisher.ts";
import {
  findRepeats,
  type RegistryProblem,
  readYaml,
  registryInvalid,
  type YamlPath,
  type YamlText,
} from "./read-yaml.ts";

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

/** In YAML, an unquoted 0x… is a number and has already lost digits when it arrives here. */
const addressOf = (digits: RegExp, message: string) =>
  z
    .string({
      error: ({ input }) => (input === undefined ? undefined : "must be text: put the address in quotes"),
    })
    .regex(digits, message)
    .transform((address) => address.toLowerCase());

const Address = addressOf(/^0x[0-9a-fA-F]{40}$/, "must be 0x and 40 hex digits");

const Name = PublicText.refine((text) => text === text.trim(), "must not begin or end with a space");

const Governor = z
  .strictObject({
    chain_id: z.int().min(1),
    governor: Address.optional(),
    token: Address,
    kind: z.enum(["erc20votes", "erc721votes"]),
    decimals: z.int().min(0).max(77),
    clock: z.enum(["blocknumber", "timestamp"]),
    default_delegate: z.literal("self").optional(),
    first_block: z.int().min(0),
  })
  .transform(
    ({ chain_id: chainId, default_delegate, first_block: firstBlock, governor, ...rest }): GovernorToken => ({
      chainId,
      ...rest,
      isSelfByDefault: default_delegate === "self",
      firstBlock,
      governor,
    }),
  );

/** The service's name of a chain, and a contract there: of an EVM or of Starknet. */
const Onchain = z.strictObject({
  indexer: z.string().regex(/^[a-z0-9]{1,20}$/, "must be a name of the on-chain API, such as eth or arb1"),
  space: addressOf(
    /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/,
    "must be 0x and 40 hex digits, or 64 on Starknet",
  ),
});

const Dao = z
  .strictObject({
    space_id: SpaceId,
    name: Name,
    category: z.enum(CATEGORIES),
    snapshot: z.literal("none").optional(),
    governor: Governor.optional(),
    onchain: Onchain.optional(),
    combine: z.literal(true).optional(),
  })
  .refine(({ combine, onchain, snapshot }) => combine === undefined || (onchain && snapshot === undefined), {
    path: ["combine"],
    message: "needs both a space of Snapshot and `onchain`",
  })
  .transform(({ space_id: spaceId, snapshot, onchain, combine, ...rest }): readonly TrackedDao[] => {
    const { name, category, governor } = rest;
    const dao = { spaceId, name, category, governor, ...(snapshot === undefined ? {} : { snapshot }) };
    if (onchain === undefined) return [dao];
    if (snapshot === "none" || combine === true) return [{ ...dao, onchain }];
    return splitElectorates(dao, onchain);
  });

/**
 * Those who vote on Snapshot and those who vote on the chain are different electorates: each is a DAO of its own. Both have
 * the token's delegation, but the governor's proposals belong to the chain.
 */
function splitElectorates(dao: TrackedDao, onchain: ChainSpace): readonly TrackedDao[] {
  const { spaceId, name, governor } = dao;
  return [
    { ...dao, governor: governor && { ...governor, governor: undefined } },
    { ...dao, spaceId: `${spaceId}.onchain`, name: `${name}${ONCHAIN_SUFFIX}`, snapshot: "none", onchain },
  ];
}

const Entity = z
  .strictObject({
    entity_id: EntityId,
    label: Name,
    wallets: z.array(Address).min(1),
    publicApiOptOut: z.boolean(),
  })
  .transform(({ entity_id: entityId, label, wallets, publicApiOptOut: isOptedOut }) => ({
    entityId,
    label,
    wallets,
    isOptedOut,
  }));

/** The shape of the registry file. Strict, so that a misspelt key is an error, above all a misspelt opt-out. */
const RegistryFile = z
  .strictObject({
    daos: z.array(Dao).optional(),
    spaces: z.enum(["verified", "all"]).optional(),
    spaces_category: z.enum(CATEGORIES).optional(),
    entities: z.array(Entity).default([]),
    ...PUBLISHER_FIELDS,
  })
  .refine(({ daos, spaces }) => daos !== undefined || spaces !== undefined, {
    path: ["daos"],
    message: "is missing: must be a list (lines that begin with a dash)",
  })
  .refine(({ spaces, spaces_category: category }) => category === undefined || spaces !== undefined, {
    path: ["spaces_category"],
    message: "needs `spaces`",
  });

/**
 * Parses a registry; sorts DAOs by space_id and entities by entity_id, and lower-cases wallets. Throws `PipelineFailure`
 * REGISTRY_INVALID that lists the problems with `fileName`, line and reason.
 */
export function parseRegistry(text: string, fileName: string): Registry {
  const yaml = readYaml(text);
  if (yaml.problems.length > 0) throw registryInvalid(fileName, yaml.problems);
  const parsed = RegistryFile.safeParse(yaml.value);
  const problems = findRepeats(yaml.value).map(({ path, message }) => ({ line: yaml.lineOf(path), message }));
  if (parsed.success && problems.length === 0) {
    const { entities, spaces: list, spaces_category: category } = parsed.data;
    const daos = (parsed.data.daos ?? []).flat();
    const ids = new Set(daos.map(({ spaceId }) => spaceId));
    if (ids.size < daos.length) {
      const message =
        "a DAO with `onchain` also has the id that ends in .onchain, which another one is given";
      throw registryInvalid(fileName, [{ line: undefined, message }]);
    }
    return {
      daos: daos.sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1)),
      entities: entities.sort((a, b) => (a.entityId < b.entityId ? -1 : 1)),
      ...publisherOf(parsed.data),
      ...(list === undefined ? {} : { spaces: { list, category } }),
    };
  }
  const issues = parsed.error?.issues ?? [];
  throw registryInvalid(fileName, [...issues.flatMap((issue) => problemsOf(issue, yaml)), ...problems]);
}

/** Problems of one issue; each unknown key is reported at its own line. */
function problemsOf(issue: z.core.$ZodIssue, yaml: YamlText): RegistryProblem[] {
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

/** Fits ten thousand DAOs and a hundred thousand wallets; a larger file is a mistake. */
const BYTES_MAX = 32 * 1024 * 1024;

/** Reads the registry at `path`. Throws `REGISTRY_INVALID`, also if there is no file. */
export function loadRegistry(path: string): Registry {
  const fileName = basename(path);
  return parseRegistry(readText(path, fileName), fileName);
}

function readText(path: string, fileName: string): string {
  const invalid = (message: string, cause?: unknown) =>
    registryInvalid(fileName, [{ line: undefined, message }], cause);
  let bytes: Buffer;
  try {
    if (statSync(path).size > BYTES_MAX) throw invalid(`is larger than ${BYTES_MAX} bytes`);
    bytes = readFileSync(path);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw invalid(code === "ENOENT" ? "there is no such file" : `cannot be read (${code})`, error);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid("is not UTF-8", error);
  }
}
