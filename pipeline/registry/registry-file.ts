import { z } from "zod";
import { EntityId, SpaceId } from "../../snapshots/format/ids.ts";
import { PublicText } from "../../snapshots/format/text.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";

/** In YAML an unquoted 0x… is a number, and has lost its digits by then. */
const Address = z
  .string("must be text: put the address in quotes")
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be 0x and 40 hex digits")
  .transform((address) => address.toLowerCase());

const Name = PublicText.refine((text) => text === text.trim(), "must not begin or end with a space");

const Governor = z.strictObject({
  chain_id: z.int().min(1),
  governor: Address.optional(),
  token: Address,
  kind: z.enum(["erc20votes", "erc721votes"]),
  decimals: z.int().min(0).max(77),
  clock: z.enum(["blocknumber", "timestamp"]),
  default_delegate: z.literal("self").optional(),
  first_block: z.int().min(0),
});

const Dao = z.strictObject({
  space_id: SpaceId,
  name: Name,
  category: z.enum(CATEGORIES),
  governor: Governor.optional(),
});

const Entity = z.strictObject({
  entity_id: EntityId,
  label: Name,
  wallets: z.array(Address).min(1),
  publicApiOptOut: z.boolean(),
});

/** The registry as it is written down. Strict: a misspelt key is an error, above all a misspelt opt-out. */
export const RegistryFile = z.strictObject({
  daos: z.array(Dao),
  entities: z.array(Entity).default([]),
});
export type RegistryFile = z.infer<typeof RegistryFile>;
