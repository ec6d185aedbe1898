import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { systemErrorCode } from "../../snapshots/base/failure.ts";
import { EntityId, SpaceId } from "../../snapshots/format/ids.ts";
import { PublicText } from "../../snapshots/format/text.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import {
  type ChainSpace,
  type GovernorToken,
  ONCHAIN_SUFFIX,
  type Registry,
  type TrackedDao,
  type TrackedEntity,
} from "../facts/tracked.ts";
import { PUBLISHER_FIELDS, publisherOf } from "./publisher.ts";
import {
  problemsOf,
  type RegistryProblem,
  readYaml,
  registryInvalid,
  type YamlPath,
  type YamlText,
} from "./read-yaml.ts";

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
  if (!parsed.success) {
    throw registryInvalid(
      fileName,
      parsed.error.issues.flatMap((issue) => problemsOf(issue, yaml)),
    );
  }
  const { daos: electorates = [], entities, spaces: list, spaces_category: category } = parsed.data;
  const daos = electorates.flat();
  const repeats = repeatsIn(electorates, entities, yaml);
  if (repeats.length === 0 && new Set(daos.map(({ spaceId }) => spaceId)).size < daos.length) {
    const message = "a DAO with `onchain` also has the id that ends in .onchain, which another one is given";
    repeats.push({ line: undefined, message });
  }
  if (repeats.length > 0) throw registryInvalid(fileName, repeats);
  return {
    daos: daos.sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1)),
    entities: entities.sort((a, b) => (a.entityId < b.entityId ? -1 : 1)),
    ...publisherOf(parsed.data),
    ...(list === undefined ? {} : { spaces: { list, category } }),
  };
}

/** Spaces, entities and wallets that occur twice, at the line of the second; names both owners of a wallet. */
function repeatsIn(
  electorates: readonly (readonly TrackedDao[])[],
  entities: readonly TrackedEntity[],
  yaml: YamlText,
): RegistryProblem[] {
  const owners = new Map<string, string>();
  const repeats: RegistryProblem[] = [];
  const note = (key: string, owner: string, path: YamlPath, messageOf: (before: string) => string) => {
    const before = owners.get(key);
    if (before === undefined) owners.set(key, owner);
    else repeats.push({ line: yaml.lineOf(path), message: messageOf(before) });
  };
  const noteId = (list: string, index: number, field: string, id = "") =>
    note(`${field} ${id}`, id, [list, index, field], () => `${field} ${JSON.stringify(id)} is given twice`);
  for (const [index, [dao]] of electorates.entries()) noteId("daos", index, "space_id", dao?.spaceId);
  for (const [index, { entityId, wallets }] of entities.entries()) {
    noteId("entities", index, "entity_id", entityId);
    for (const [position, wallet] of wallets.entries()) {
      note(`wallet ${wallet}`, entityId, ["entities", index, "wallets", position], (before) =>
        before === entityId
          ? `a wallet is given twice in ${entityId}`
          : `a wallet is given in both ${before} and ${entityId}`,
      );
    }
  }
  return repeats;
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
