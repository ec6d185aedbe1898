import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { TABLE_SCHEMAS } from "../../../../pipeline/documents/table-schemas.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { timestampOf } from "../../../../snapshots/format/ids.ts";
import type { PublishedListing, PublishedSet } from "../../../../snapshots/format/published-set.ts";
import {
  createOptOuts,
  OPT_OUTS_MODES,
  openOptOutStore,
} from "../../../../snapshots/optouts/opt-out-store.ts";
import { EVERY_KIND_AS_OF_MS, everyKindSet } from "../../../faults/every-kind-set.ts";
import { HOME } from "../../../snapshots/store/temporary-root.ts";
import { FIXTURE_ENTITY_ID, publishedSet, publishFixture, walletOf } from "../../../support/published-set.ts";
import type { CommandEnd } from "../../../support/run-in-process.ts";
import { govdata } from "../../cli/stand.ts";

/** Names that lie, that a spreadsheet would run, or that a reader could split in two. */
export const HOSTILE_NAMES = ['=HYPERLINK("x","y")', "-2, Ωmega 二", "＝1＋1", "@cmd"];

const HOUR_MS = 3_600_000;

function named(item: PublishedListing["all"][number]): PublishedListing["all"][number] {
  const name = HOSTILE_NAMES[item.rank - 1];
  // The first is the entity's own wallet, which must become bare.
  return name === undefined || item.rank === 1 ? item : { ...item, ens: name, display_name: name };
}

/** A small version with every kind of file, in which names are hostile. */
function hostileSet(): PublishedSet {
  const set = everyKindSet();
  return {
    ...set,
    daos: set.daos.map((dao) => ({ ...dao, name: HOSTILE_NAMES[0] ?? "" })),
    details: set.details.map((detail) => ({ ...detail, name: HOSTILE_NAMES[0] ?? "" })),
    entities: set.entities.map((entity) => ({
      ...entity,
      dao_participations: entity.dao_participations.map((participation) => ({
        ...participation,
        name: HOSTILE_NAMES[0] ?? "",
      })),
    })),
    histories: set.histories.map((history) => ({
      ...history,
      points: history.points.map(({ risk_score: _, ...point }) => point),
    })),
    graphs: set.graphs.map((graph) => ({
      ...graph,
      delegates: graph.delegates.map((row) => ({ ...named(row), votes: row.votes })),
    })),
    listings: set.listings.map((listing) => ({
      ...listing,
      all: listing.all.map(named),
      latest: { ...listing.latest, delegates: listing.latest.delegates.map(named) },
    })),
  };
}

/** Two versions under one root: small and hostile, then larger with a DAO that has no risk and no delegates. */
export interface ExportStage {
  readonly root: string;
  readonly snapshots: string;
  /** Oldest first. */
  readonly versions: readonly string[];
  /** `govdata` on them, with a registry that knows nobody unless `registry` says so. */
  govdata(...args: readonly string[]): Promise<CommandEnd>;
  /** The options that lead a command there. */
  readonly places: readonly string[];
  /** A registry in which the entity of both versions has opted out. */
  readonly optedOutRegistry: string;
  /** A list of live opt-outs with the entity of both versions. */
  readonly liveList: string;
}

const REGISTRY = "daos:\n  - space_id: tidewater.example\n    name: Tidewater\n    category: defi\n";
const OPTED_OUT = `entities:
  - entity_id: ${FIXTURE_ENTITY_ID}
    label: Lantern Labs
    wallets: ["${walletOf(1)}"]
    publicApiOptOut: true
`;

/** A registry that knows nobody, and two ways in which the entity of the fixture has opted out. */
export function writeOptOuts(root: string) {
  const registry = join(root, "registry.yaml");
  writeFileSync(registry, `${REGISTRY}entities: []\n`);
  const optedOutRegistry = join(root, "opted-out.yaml");
  writeFileSync(optedOutRegistry, REGISTRY + OPTED_OUT);
  const liveList = join(root, "live.db");
  createOptOuts({ path: liveList, mode: OPT_OUTS_MODES.owner, randomBytes });
  const list = openOptOutStore(liveList);
  list.add(FIXTURE_ENTITY_ID, EVERY_KIND_AS_OF_MS);
  list.close();
  return { registry, optedOutRegistry, liveList };
}

/** Publishes both versions in a folder that goes with the tests. */
export async function makeExportStage(): Promise<ExportStage> {
  const root = mkdtempSync(join(HOME, "govdata-export-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const snapshots = join(root, "published");
  const firstAtMs = EVERY_KIND_AS_OF_MS + HOUR_MS;
  const hostile = hostileSet();
  const first = await publishFixture(snapshots, {
    set: hostile,
    createdAtMs: firstAtMs,
    tables: TABLE_SCHEMAS,
  });
  const second = await publishFixture(snapshots, {
    // Versions of two methods would not be exported together.
    set: {
      ...publishedSet(EVERY_KIND_AS_OF_MS + DAY_MS),
      methodologyVersion: hostile.methodologyVersion,
    },
    createdAtMs: firstAtMs + DAY_MS,
    tables: TABLE_SCHEMAS,
  });
  const { registry, ...optOuts } = writeOptOuts(root);
  const home = join(root, "home");
  mkdirSync(home);
  const places = ["--home", home, "--snapshots", snapshots, "--registry", registry];
  return {
    root,
    snapshots,
    versions: [first.version, second.version],
    places,
    govdata: (...args) => govdata([...places, ...args]),
    ...optOuts,
  };
}

/** When the versions are of, oldest first. */
export const STAGE_MOMENTS = [EVERY_KIND_AS_OF_MS, EVERY_KIND_AS_OF_MS + DAY_MS].map(timestampOf);
