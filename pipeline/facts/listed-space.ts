import { SpaceId } from "../../snapshots/format/ids.ts";
import type { Category } from "../../snapshots/format/value-sets.ts";

/** A space of the hub's list; `category` is the hub's, if it is one of ours. */
export interface ListedSpace {
  readonly spaceId: string;
  readonly name: string;
  readonly category?: Category | undefined;
}

/** Our category of the hub's, the most telling first: many name "protocol" beside another one. */
const CATEGORIES_OF_HUB: readonly (readonly [Category, readonly string[]])[] = [
  ["defi", ["defi", "defai", "rwa"]],
  ["public_goods", ["grant"]],
  ["social", ["social", "media", "creator", "collector", "gaming", "music", "meme"]],
  ["infrastructure", ["layer-2", "depin", "wallet", "protocol"]],
];

/** A row of the hub's list; without a name, its id is its name. `undefined` if its id is not one of ours. */
export function listedSpaceOf(
  id: string,
  name: string | undefined,
  categories: readonly string[],
): ListedSpace | undefined {
  const spaceId = SpaceId.safeParse(id).data;
  if (spaceId === undefined) return undefined;
  const [category] =
    CATEGORIES_OF_HUB.find(([, theirs]) => theirs.some((one) => categories.includes(one))) ?? [];
  return { spaceId, name: name ?? spaceId, category };
}
