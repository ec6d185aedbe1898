import { existsSync, statSync } from "node:fs";
import { PipelineError } from "../facts/errors.ts";
import type { GovernanceSource, SourceId } from "../facts/governance-source.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { parseUrl } from "../facts/upstream-text.ts";
import { archivedBytes, createArchiveSource } from "./archive/archive-source.ts";
import { createArchiveRecorder, createRecordedGovernor } from "./archive/record.ts";
import { createGovernorSource } from "./governor/governor-source.ts";
import { createRpc } from "./governor/rpc.ts";
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpCounters,
} from "./http/http-client.ts";
import { type GivenSettings, httpSettings } from "./http/http-settings.ts";
import { fetchSizes, requestsOf } from "./hub/estimate.ts";
import { createSnapshotHubSource } from "./hub/hub-source.ts";

/** Where to fetch from, and how. What a source has no use for is refused by the command, not ignored here. */
export interface SourceOptions {
  readonly source: SourceId;
  /** Folder of an unpacked archive, or a hub's GraphQL address; `undefined` for chains, whose nodes are named one by one. */
  readonly from: string | undefined;
  readonly pace?: GivenSettings;
  /** Only proposals that end then or later. */
  readonly sinceMs?: number | undefined;
  /** Ask for everything again, whatever is held. */
  readonly isFull?: boolean;
  /** Also write what came as an archive into this folder. */
  readonly recordDirectory?: string | undefined;
  readonly hubKey?: string | undefined;
  /** Address of a node of a chain; it may hold a key and is never shown. */
  readonly rpcUrlOf?: (chainId: number) => string | undefined;
}

/** A source, the DAOs of the registry it can have anything about, and its end. */
interface OpenSource {
  readonly source: GovernanceSource;
  readonly isFor: (dao: TrackedDao) => boolean;
  /** DAOs that may be fetched side by side. */
  readonly atOnce: number;
  /** What is there of a DAO to be read, as far as that is known before. */
  readonly bytesOf: (dao: TrackedDao) => number;
  /** What was asked of the network so far; `undefined` for a source that needs none. */
  readonly counters: () => HttpCounters | undefined;
  /** The spaces that are there, and at most how many requests and minutes they take at this pace; missing where nobody can tell. */
  readonly estimate?: (
    daos: readonly TrackedDao[],
    heldVotesOf: (spaceId: string) => number,
  ) => Promise<{ readonly spaces: number; readonly requests: number; readonly minutes: number }>;
  readonly close: () => Promise<void>;
}

/** As many DAOs as requests: each asks for one page, or one range of logs, after the other. */
const DAOS_AT_ONCE = 4;

/** Rows of a page: the most that a hub gives. */
const PAGE_SIZE = 1000;

function openArchive(directory: string): OpenSource {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw new PipelineError("ARCHIVE_MISSING", `${directory} is not a folder`, {
      hint:
        "Give --from the folder of an unpacked archive (fixtures/README.md shows its layout). No archive yet? " +
        "`npm run demo` leaves one in .govdata/demo/8787/world, with its registry.yaml.",
    });
  }
  const source = createArchiveSource({ directory });
  return {
    source,
    isFor: () => true,
    atOnce: 1,
    bytesOf: ({ spaceId }) => archivedBytes(directory, spaceId),
    counters: () => undefined,
    close: async () => undefined,
  };
}

const endsOf = (http: HttpClient): Pick<OpenSource, "bytesOf" | "counters" | "close"> => ({
  bytesOf: () => 0,
  counters: () => http.counters(),
  close: () => http.close(),
});

/** Opens the source that was asked for; whoever opened it closes it. Throws `PipelineError` BAD_OPTION or ARCHIVE_MISSING. */
export function openSource(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { from, rpcUrlOf, recordDirectory } = options;
  if (options.source === "governor") {
    const http = createHttpClient({ ...identity, settings: options.pace ?? {} });
    const ends = endsOf(http);
    const rpcOf = (chainId: number) => {
      const url = rpcUrlOf?.(chainId);
      return url === undefined ? undefined : createRpc({ http, url });
    };
    const source =
      recordDirectory === undefined
        ? createGovernorSource({ rpcOf, isFull: options.isFull ?? false })
        : createRecordedGovernor({ directory: recordDirectory, rpcOf });
    // A record is one file a chain, written in the order of its requests.
    const atOnce = recordDirectory === undefined ? (options.pace?.concurrencyMax ?? DAOS_AT_ONCE) : 1;
    return { source, isFor: (dao) => dao.governor !== undefined, atOnce, ...ends };
  }
  if (from === undefined) throw new PipelineError("BAD_OPTION", `--source ${options.source} needs --from`);
  if (options.source === "archive") return openArchive(from);
  if (parseUrl(from) === undefined) {
    throw new PipelineError("BAD_OPTION", "--from must be the URL of a Snapshot hub", {
      hint: "It ends in /graphql.",
    });
  }
  const http = createHttpClient({ ...identity, settings: options.pace ?? {} });
  const door = { http, url: from, apiKey: options.hubKey };
  const source = createSnapshotHubSource({
    ...door,
    pageSize: PAGE_SIZE,
    nowMs: identity.nowMs(),
    sinceMs: options.sinceMs,
    // A record of what is new alone would be no archive of the DAO.
    isFull: options.isFull === true || recordDirectory !== undefined,
    record: recordDirectory === undefined ? undefined : createArchiveRecorder(recordDirectory),
  });
  const atOnce = options.pace?.concurrencyMax ?? DAOS_AT_ONCE;
  return {
    source,
    isFor: () => true,
    atOnce,
    ...endsOf(http),
    async estimate(daos, heldVotesOf) {
      const sizes = await fetchSizes(
        door,
        daos.map(({ spaceId }) => spaceId),
      );
      const counts = [...sizes.values()].map((size) => requestsOf(size, heldVotesOf(size.id)));
      const requests = counts.reduce((sum, count) => sum + count, 0);
      return {
        spaces: sizes.size,
        requests,
        minutes: Math.ceil(requests / httpSettings(options.pace ?? {}).requestsPerMinute),
      };
    },
  };
}
