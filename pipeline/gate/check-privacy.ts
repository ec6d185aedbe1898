import { publishedDocuments } from "../../snapshots/format/documents.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { cleanText, shortAddress } from "../../snapshots/format/text.ts";
import type { GateFinding } from "./gate-rules.ts";

/** An entity that opted out of the public API: what must not be found. */
export interface HiddenEntity {
  readonly entityId: string;
  readonly label: string;
  readonly wallets: readonly string[];
}

interface Hidden {
  readonly identifiers: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
}

/** Anything that looks like a wallet or an entity's id, wherever in a text it stands. */
const IDENTIFIER = /0x[0-9a-f]{40}|ent_[0-9a-z]{26}/gi;

/** Fields that name somebody. Elsewhere a label may come by chance: a DAO is called like the organisation behind it. */
const NAMING_FIELDS: ReadonlySet<string> = new Set(["label", "ens", "display_name"]);

const byCase = (text: string): string => cleanText(text).toLowerCase();

function isMention(field: string, text: string, hidden: Hidden): boolean {
  const identifiers = text.match(IDENTIFIER) ?? [];
  if (identifiers.some((identifier) => hidden.identifiers.has(identifier.toLowerCase()))) return true;
  return NAMING_FIELDS.has(field) && hidden.labels.has(byCase(text));
}

/** A delegate's row that shows nothing but its address, as the row of an opted-out wallet must. */
function isBareRow(value: object): boolean {
  return (
    "address" in value &&
    typeof value.address === "string" &&
    "display_name" in value &&
    value.display_name === shortAddress(value.address) &&
    !("ens" in value)
  );
}

/** Places of mentions within a value. Keys are those of strict shapes and hold no data. */
function mentionsIn(value: unknown, field: string, hidden: Hidden): readonly string[] {
  if (typeof value === "string") return isMention(field, value, hidden) ? [""] : [];
  if (value === null || typeof value !== "object") return [];
  const isBare = isBareRow(value);
  return Object.entries(value).flatMap(([key, item]) => {
    if (isBare && key === "address") return [];
    const name = Array.isArray(value) ? field : key;
    return mentionsIn(item, name, hidden).map((place) => ` ${key}${place}`);
  });
}

/**
 * No opted-out entity's id, label or wallet stands anywhere, but as the bare address of a delegate's row: a hole in a
 * public ranking would reveal what the row does not. Messages say where, never whom.
 */
export function checkPrivacy(set: PublishedSet, optedOut: readonly HiddenEntity[]): readonly GateFinding[] {
  if (optedOut.length === 0) return [];
  const hidden: Hidden = {
    identifiers: new Set(
      optedOut.flatMap(({ entityId, wallets }) => [entityId, ...wallets].map((each) => each.toLowerCase())),
    ),
    labels: new Set(optedOut.map(({ label }) => byCase(label))),
  };
  return publishedDocuments(set).flatMap(({ path, value }) =>
    mentionsIn(value, "", hidden).map((place) => ({
      code: "OPTED_OUT_NAMED",
      severity: "refuse",
      message: `${path}${place}: names an entity that opted out`,
    })),
  );
}
