import { createHash } from "node:crypto";
import { type Document, isSeq, parseDocument, Scalar, visit, type YAMLSeq } from "yaml";
import type { Correction } from "../../snapshots/format/imprint.ts";
import { invariant, isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import type { Registry, TrackedEntity } from "../facts/tracked.ts";
import { parseRegistry } from "./registry.ts";

/** The alphabet of RFC 4648, in lower case. */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const BITS_PER_DIGIT = 5;
const DIGITS = 26;

/** The id of an entity: `ent_` and the first 26 digits of the lower-case base32 of sha256(label). */
function entityIdOf(label: string): string {
  const hash = BigInt(`0x${createHash("sha256").update(label).digest("hex")}`);
  const digits = (hash >> BigInt(256 - DIGITS * BITS_PER_DIGIT)).toString(32).padStart(DIGITS, "0");
  return `ent_${digits.replace(/./g, (digit) => BASE32.charAt(Number.parseInt(digit, 32)))}`;
}

/** A registry's text after an edit, and the edited entity. */
interface EditedRegistry {
  readonly text: string;
  readonly entity: TrackedEntity;
}

/**
 * Appends an entity that has not opted out; comments, order and quotes of the rest stay. Throws `PipelineFailure`
 * REGISTRY_INVALID if the text is not a valid registry, and BAD_OPTION if the result would not be one.
 */
export function addEntity(
  text: string,
  fileName: string,
  { label, wallets }: { readonly label: string; readonly wallets: readonly string[] },
): EditedRegistry {
  const entityId = entityIdOf(label);
  const entry = { entity_id: entityId, label, wallets: [...wallets], publicApiOptOut: false };
  const edited = edit(text, fileName, (document) => append(document, "entities", entry));
  return { text: edited.text, entity: requireEntity(edited.registry, fileName, entityId) };
}

/** Appends a correction, as `addEntity` an entity. */
export function addCorrection(text: string, fileName: string, correction: Correction) {
  return { ...edit(text, fileName, (document) => append(document, "corrections", correction)), correction };
}

/** What needs no quotes: a day, an id and the names of versions. */
const PLAIN = /^(\d{4}-\d{2}-\d{2}|ent_\w+|\d{8}T\d{6}Z-\w+)$/;

function append(document: Document, list: string, entry: object): void {
  const node = document.createNode(entry);
  visit(node, {
    // Quoted as by `init`.
    Scalar(key, scalar) {
      if (key !== "key" && typeof scalar.value === "string" && !PLAIN.test(scalar.value)) {
        scalar.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  if (!document.has(list)) document.set(list, document.createNode([]));
  const entries = listIn(document, list);
  // An empty list `[]` is changed to block style.
  if (entries.items.length === 0) entries.flow = false;
  entries.add(node);
}

function listIn(document: Document, name: string): YAMLSeq {
  const list = document.get(name);
  invariant(isSeq(list), `a registry that was parsed has a list of ${name}`);
  return list;
}

/**
 * Opts an entity out of the public API, or in again; changes nothing else. Throws `NOT_FOUND` if the
 * registry has no such entity, and REGISTRY_INVALID if the text is not a valid registry.
 */
export function setOptOut(
  text: string,
  fileName: string,
  entityId: string,
  isOptedOut: boolean,
): EditedRegistry {
  const entity = requireEntity(parseRegistry(text, fileName), fileName, entityId);
  if (entity.isOptedOut === isOptedOut) return { text, entity };
  const edited = edit(text, fileName, (document) => {
    const { items } = listIn(document, "entities");
    const index = items.findIndex(
      (_, index) => document.getIn(["entities", index, "entity_id"]) === entityId,
    );
    document.setIn(["entities", index, "publicApiOptOut"], isOptedOut);
  });
  return { text: edited.text, entity: { ...entity, isOptedOut } };
}

/** The entity with this id; throws `NOT_FOUND` if the registry has none. */
export function requireEntity(
  { entities }: Pick<Registry, "entities">,
  fileName: string,
  entityId: string,
): TrackedEntity {
  const known = entities.find((entity) => entity.entityId === entityId);
  if (known !== undefined) return known;
  throw pipelineFailure("NOT_FOUND", `${fileName} has no entity ${JSON.stringify(entityId)}`, {
    hint: "`govdata entity list` shows the ids.",
  });
}

function edit(before: string, fileName: string, change: (document: Document) => void) {
  parseRegistry(before, fileName);
  const document = parseDocument(before);
  change(document);
  // Without folding of long lines, which would change other lines.
  const text = document.toString({ lineWidth: 0 });
  try {
    return { text, registry: parseRegistry(text, fileName) };
  } catch (cause) {
    if (!isPipelineFailure(cause)) throw cause;
    throw pipelineFailure("BAD_OPTION", `the edit would make the registry invalid:\n${cause.message}`, {
      cause,
      hint: "Nothing was written. Line numbers refer to the edited text.",
    });
  }
}
