import type { BuiltDocument } from "../../snapshots/format/documents.ts";
import {
  byCase,
  type HiddenEntity,
  type HiddenNames,
  hiddenNames,
  IDENTIFIER,
} from "../../snapshots/format/hidden-entities.ts";
import { shortAddress } from "../../snapshots/format/text.ts";
import { finding, type GateFinding } from "./gate-rules.ts";

/**
 * Checks that no document contains the id, label or wallet of an opted-out entity. The only exception is the bare address
 * in a delegate's row, because a gap in a public ranking would reveal more. Messages contain the location, never a name.
 */
export function checkPrivacy(
  documents: readonly BuiltDocument[],
  optedOut: readonly HiddenEntity[],
): readonly GateFinding[] {
  if (optedOut.length === 0) return [];
  const hidden = hiddenNames(optedOut);
  return documents.flatMap(({ name, value }) =>
    mentionsIn(value, "", hidden).map((path) =>
      finding("OPTED_OUT_NAMED", `${name}${path}: names an entity that opted out`),
    ),
  );
}

/** Fields that name somebody. Elsewhere, a label may occur by chance: a DAO may have the name of its organisation. */
const NAMING_FIELDS: ReadonlySet<string> = new Set(["label", "ens", "display_name"]);

function isMention(field: string, text: string, { ids, wallets, names }: HiddenNames): boolean {
  const identifiers = text.match(IDENTIFIER) ?? [];
  if (
    identifiers
      .map((identifier) => identifier.toLowerCase())
      .some((name) => ids.has(name) || wallets.has(name))
  ) {
    return true;
  }
  return NAMING_FIELDS.has(field) && names.has(byCase(text));
}

/** Whether a delegate's row shows only its address, as the row of an opted-out wallet must. */
function isBareRow(value: object): boolean {
  return (
    "address" in value &&
    typeof value.address === "string" &&
    "display_name" in value &&
    value.display_name === shortAddress(value.address) &&
    !("ens" in value)
  );
}

/** Paths of mentions within a value. Keys come from strict shapes and contain no data. */
function mentionsIn(value: unknown, field: string, hidden: HiddenNames): readonly string[] {
  if (typeof value === "string") return isMention(field, value, hidden) ? [""] : [];
  if (value === null || typeof value !== "object") return [];
  const isBare = isBareRow(value);
  return Object.entries(value).flatMap(([key, item]) => {
    if (isBare && key === "address") return [];
    const name = Array.isArray(value) ? field : key;
    return mentionsIn(item, name, hidden).map((path) => ` ${key}${path}`);
  });
}
