import type { z } from "zod";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { filePath } from "../../../snapshots/format/documents.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import {
  type ComponentLabel,
  labelledPoints,
  labelOf,
  type WeightTier,
} from "../../../snapshots/format/value-sets.ts";
import { guardReader } from "../../../snapshots/store/read/guard-reader.ts";
import { locateVersion, manifestFile } from "../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { listingDocument, type SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";
import { readVerified } from "../../../snapshots/store/read/verified-file.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { readLiveOptOuts } from "../../home/opt-outs.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { refuseUnknown } from "../read-explained.ts";
import { inBrackets } from "../spell.ts";

type ShownKind = "daos" | "dao" | "risk" | "dgi" | "entity";

/** An answer of the API as a caller with all rights gets it; its `meta` has the intervals of its scores. */
export type ShownEnvelope<Kind extends ShownKind> = z.infer<(typeof ENVELOPES)[Kind]>;

/**
 * Reads from the current version without opted-out entities. `undefined` becomes NOT_FOUND with that message and hint.
 * Answers come from the index: if the file with the same content is damaged, this throws, as nobody can check the answer
 * against it.
 */
async function fromCurrent<Result>(
  settings: Settings,
  read: (reader: SnapshotReader) => Result | undefined,
  missing: () => readonly [message: string, hint: string],
  path?: string,
): Promise<Result> {
  return withStore(async () => {
    const reader = await openSnapshot(settings.snapshotsDirectory);
    try {
      const document = read(guardReader(reader, readLiveOptOuts(settings).list));
      if (document !== undefined && path !== undefined) {
        const { version } = reader;
        const { directory, manifest } = locateVersion(settings.snapshotsDirectory, { version });
        readVerified(directory, manifestFile(manifest, path));
      }
      if (document !== undefined) return document;
    } finally {
      reader.close();
    }
    const [message, hint] = missing();
    throw pipelineFailure("NOT_FOUND", message, { hint });
  });
}

/** Why a DAO has no such document: it lacks the data, is unscored, or is not tracked. */
function whyNoDao(settings: Settings, spaceId: string, what: string): readonly [string, string] {
  const documents = readPublishedDocuments(settings.snapshotsDirectory);
  if (documents.daos.some((dao) => dao.space_id === spaceId)) {
    return [`${spaceId} is scored, but has no ${what}`, "The required data are missing."];
  }
  const dao = documents.unscored().find((candidate) => candidate.space_id === spaceId);
  if (dao === undefined) return refuseUnknown(spaceId, documents);
  const [low, high] = dao.interval.gvs;
  return [
    `${spaceId} has no score`,
    `${dao.reason.message} Its gvs is between ${low.toFixed(2)} and ${high.toFixed(2)}.`,
  ];
}

/** One answer of the API from the current version; throws `NOT_FOUND`. */
export async function showEnvelope<Kind extends ShownKind>(
  settings: Settings,
  kind: Kind,
  id: string,
): Promise<ShownEnvelope<Kind>> {
  return fromCurrent(
    settings,
    (reader) => {
      const document = reader.document(kind, id);
      if (document === undefined) return undefined;
      const envelope = ENVELOPES[kind].parse(JSON.parse(document.identity.bytes.toString("utf8")));
      return envelope as ShownEnvelope<Kind>;
    },
    () => {
      if (kind === "dao") return whyNoDao(settings, id, "detail");
      if (kind === "risk") return whyNoDao(settings, id, "risk assessment");
      if (kind === "dgi") return ["there is no DGI", "It needs five DAOs with enough data."];
      return [`${kind} ${id} is not published`, "Check the spelling."];
    },
    filePath(kind, id),
  );
}

/** An entity by its id or one of its wallets; throws `NOT_FOUND`. */
export async function showEntity(settings: Settings, idOrWallet: string) {
  if (!idOrWallet.startsWith("0x")) return (await showEnvelope(settings, "entity", idOrWallet)).data;
  const entityId = await fromCurrent(
    settings,
    (reader) => reader.entityIdOfWallet(idOrWallet.toLowerCase()),
    () => ["no published entity has this wallet", "Check the spelling."],
  );
  return (await showEnvelope(settings, "entity", entityId)).data;
}

/** A delegate listing, filtered and then limited; throws `NOT_FOUND`. */
export async function showDelegates(
  settings: Settings,
  spaceId: string,
  date: string | undefined,
  tier: WeightTier | undefined,
  limit: number,
): Promise<DelegateListing> {
  return fromCurrent(
    settings,
    (reader) => {
      const listing = date === undefined ? reader.latestListing(spaceId) : reader.datedListing(spaceId, date);
      const rows = listing?.rows.filter((row) => tier === undefined || row.weightTier === tier);
      return listing && listingDocument(listing, rows?.slice(0, limit) ?? []);
    },
    () => [
      `${spaceId} has no delegate listing${date === undefined ? "" : ` of ${date}`}`,
      "A DAO without complete delegation data has none.",
    ],
    // The line of a day has been checked by its own hash.
    date === undefined ? filePath("latestListing", spaceId) : undefined,
  );
}

/** Dark enough for white text; the label beside the number conveys the same without colour. */
const COLOURS: Readonly<Record<ComponentLabel, string>> = {
  Excellent: "#116329",
  Strong: "#2f6f1f",
  Moderate: "#7a5a00",
  Weak: "#a04000",
  Critical: "#a11d1d",
};

/** `govdata badge`: the score of a DAO as a picture, and as JSON for shields.io. Throws `NOT_FOUND`. */
export async function runBadge(settings: Settings, spaceId: string) {
  const { data: dao, meta } = await showEnvelope(settings, "dao", spaceId);
  const [low, high] = meta.interval?.gvs ?? [dao.gvs, dao.gvs];
  const word = labelOf(labelledPoints({ low, high }));
  const between = meta.interval === undefined ? "" : ` ${inBrackets(low, high)}`;
  const label = "governance";
  const message = `${dao.gvs.toFixed(2)}${between} of 10, ${word.toLowerCase()}`;
  const color = COLOURS[word];
  const { makeBadge } = await import("badge-maker");
  return {
    shields: { schemaVersion: 1, label, message, color },
    svg: `${makeBadge({ label, message, color })}\n`,
  };
}
