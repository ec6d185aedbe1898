import { z } from "zod";
import type { YamlPath } from "./read-yaml.ts";

/** Something that stands in a registry twice: what to say, and where the second one is. */
export interface Repeat {
  readonly path: YamlPath;
  readonly message: string;
}

const Id = z.string().catch("");

/** As much of a registry as repeats need: what is wrong in another way is left out, and told elsewhere. */
const Looked = z
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

/** Spaces, entities and wallets that are given twice; of a wallet both owners are named. `value` need not be a valid registry. */
export function findRepeats(value: unknown): readonly Repeat[] {
  const { daos, entities } = Looked.parse(value);
  return [
    ...repeatedIds(
      "daos",
      "space_id",
      daos.map((dao) => dao.space_id),
    ),
    ...repeatedIds(
      "entities",
      "entity_id",
      entities.map((entity) => entity.entity_id),
    ),
    ...repeatedWallets(entities),
  ];
}

function repeatedIds(list: string, field: string, ids: readonly string[]): Repeat[] {
  const seen = new Set<string>();
  const repeats: Repeat[] = [];
  for (const [index, id] of ids.entries()) {
    if (id !== "" && seen.has(id)) {
      repeats.push({ path: [list, index, field], message: `${field} ${JSON.stringify(id)} is given twice` });
    }
    seen.add(id);
  }
  return repeats;
}

function repeatedWallets(entities: z.infer<typeof Looked>["entities"]): Repeat[] {
  const owners = new Map<string, string>();
  const repeats: Repeat[] = [];
  for (const [index, { entity_id, wallets }] of entities.entries()) {
    const entity = entity_id === "" ? `entities[${index}]` : entity_id;
    for (const [place, wallet] of wallets.entries()) {
      const owner = owners.get(wallet);
      const between = owner === entity ? `twice in ${entity}` : `in both ${owner} and ${entity}`;
      if (wallet !== "" && owner !== undefined) {
        repeats.push({
          path: ["entities", index, "wallets", place],
          message: `a wallet is given ${between}`,
        });
      }
      owners.set(wallet, owner ?? entity);
    }
  }
  return repeats;
}
