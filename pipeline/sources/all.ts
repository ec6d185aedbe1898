import { existsSync, statSync } from "node:fs";
import { pipelineFailure } from "../facts/errors.ts";
import { type GovernanceSource, type HeldSpace, votesOf } from "../facts/governance-source.ts";
import { PUBLIC_ONCHAIN_URL, requireUrlOf, type SourceId } from "../facts/source-table.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { archivedBytes, createArchiveSource } from "./archive/archive-source.ts";
import { createArchiveRecorder, createRecordedGovernor } from "./archive/record.ts";
import { createDelegatesSource } from "./delegates-api/delegates-source.ts";
import { estimateRequests, minutesOf, queriesOf, requestsOf } from "./estimate.ts";
import { createGovernorSource } from "./governor/governor-source.ts";
import { createRpc } from "./governor/rpc.ts";
import { createHttpClient, type HttpClientOptions, type HttpCounters } from "./http/http-client.ts";
import type { GivenSettings } from "./http/http-settings.ts";
import { HUB_LIMITS } from "./hub/ask-hub.ts";
import { createSnapshotHubSource } from "./hub/hub-source.ts";
import { createSnapshotApiSource } from "./snapshot-api/api-source.ts";
import { API_LIMITS } from "./snapshot-api/open-api.ts";

/** Where to fetch from, and how. Options that a source does not use are refused by the command, not here. */
export interface SourceOptions {
  readonly source: SourceId;
  /** An archive's folder, or a hub's GraphQL URL; `undefined` for chains, whose nodes come from `rpcUrlOf`. */
  readonly from: string | undefined;
  readonly pace?: GivenSettings;
  /** Only fetch proposals that end at this time or later. */
  readonly sinceMs?: number | undefined;
  readonly isFull?: boolean;
  readonly recordDirectory?: string | undefined;
  readonly hubKey?: string | undefined;
  readonly onchainUrl?: string | undefined;
  readonly delegatesUrl?: string | undefined;
  /** URL of a chain's node; it may contain a key and is never shown. */
  readonly rpcUrlOf?: (chainId: number) => string | undefined;
}

/**
 * The DAOs that a source has, where it can tell, those of which nothing changed since they were fetched, and the most requests
 * and minutes that all others take at the chosen pace.
 */
interface Survey {
  readonly spaceIds?: ReadonlySet<string>;
  readonly unchanged: ReadonlySet<string>;
  readonly requests: number;
  readonly minutes: number;
  /** Requests that the key has left, if these are fewer; the others go at the pace without a key. */
  readonly keyRemaining?: number;
}

export interface OpenSource {
  readonly source: GovernanceSource;
  readonly atOnce: number;
  /** Bytes to read for a DAO, where known in advance; otherwise 0. */
  readonly bytesOf: (dao: TrackedDao) => number;
  /** Network requests so far; `undefined` for a source without network. */
  readonly counters: () => HttpCounters | undefined;
  /** Asks about all DAOs at once, before each is fetched. Missing if the source cannot tell. */
  readonly survey?: (
    daos: readonly TrackedDao[],
    heldOf: (spaceId: string) => HeldSpace | undefined,
  ) => Promise<Survey>;
  /** The source's own list of its spaces. Missing if it has none. */
  readonly listSpaces?: ReturnType<typeof createSnapshotHubSource>["listSpaces"];
  readonly close: () => Promise<void>;
}

/** As many parallel requests; a DAO requests one page, or one range of logs, at a time. */
const REQUESTS_AT_ONCE = 4;

/** Rows per page: the most that a hub returns. */
const PAGE_SIZE = 1000;

/** Opens the client of a network source, at the chosen pace or the source's own. */
function openClient({ pace = {} }: SourceOptions, identity: HttpClientOptions, ownPace?: number) {
  const { requestsPerMinute = ownPace, concurrencyMax: atOnce = REQUESTS_AT_ONCE } = pace;
  const http = createHttpClient({ ...identity, settings: { ...pace, requestsPerMinute } });
  return { http, common: { atOnce, bytesOf: () => 0, counters: http.counters, close: http.close } };
}

function requireFrom({ source, from }: SourceOptions): string {
  if (from !== undefined) return from;
  throw pipelineFailure("BAD_OPTION", `--source ${source} needs --from`);
}

function openArchive(options: SourceOptions): OpenSource {
  const directory = requireFrom(options);
  if (!existsSync(directory) || !statSync(directory).isDirectory()) {
    throw pipelineFailure("ARCHIVE_MISSING", `${directory} is not a folder`, {
      hint:
        "Give --from the folder of an unpacked archive (fixtures/README.md shows its layout). No archive yet? " +
        "`npm run demo` leaves one in .govdata/demo/8787/world, with its registry.yaml.",
    });
  }
  return {
    source: createArchiveSource({ directory }),
    atOnce: 1,
    bytesOf: ({ spaceId }) => archivedBytes(directory, spaceId),
    counters: () => undefined,
    close: async () => undefined,
  };
}

function openGovernor(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { rpcUrlOf, recordDirectory: directory, isFull = false } = options;
  const { http, common } = openClient(options, identity);
  const rpcOf = (chainId: number) => {
    const url = rpcUrlOf?.(chainId);
    return url === undefined ? undefined : createRpc({ http, url });
  };
  if (directory === undefined) return { ...common, source: createGovernorSource({ rpcOf, isFull }) };
  // A record is one file a chain, written in the order of its requests.
  return { ...common, source: createRecordedGovernor({ directory, rpcOf }), atOnce: 1 };
}

function openHub(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { recordDirectory, hubKey: apiKey, sinceMs, isFull = false, pace = {} } = options;
  const { requestsPerMinute = HUB_LIMITS.requestsPerMinute } = pace;
  const url = requireUrlOf("snapshot-hub", requireFrom(options));
  const { http, common } = openClient(options, identity, requestsPerMinute);
  const source = createSnapshotHubSource({
    ...{ http, url, apiKey, pageSize: PAGE_SIZE, nowMs: identity.nowMs(), sinceMs },
    // A record of only the new data would not be a complete archive of the DAO.
    isFull: isFull || recordDirectory !== undefined,
    record: recordDirectory === undefined ? undefined : createArchiveRecorder(recordDirectory),
  });
  return {
    ...common,
    source,
    // Several DAOs share a request, one query each.
    atOnce: common.atOnce * source.queriesMax(),
    listSpaces: source.listSpaces,
    async survey(daos, heldOf) {
      const spaceIds = daos.map(({ spaceId }) => spaceId);
      const { spaces, unchanged } = await source.readFeed(spaceIds, heldOf);
      const queries = [...spaces].flatMap(([spaceId, size]) =>
        unchanged.has(spaceId) ? [] : [queriesOf(size, votesOf(heldOf(spaceId)))],
      );
      const requests = requestsOf(queries, source.queriesMax());
      const { keyRemaining = Infinity } = http.counters();
      return {
        spaceIds: new Set(spaces.keys()),
        unchanged,
        requests,
        minutes: minutesOf(requests, requestsPerMinute, keyRemaining),
        ...(keyRemaining < requests ? { keyRemaining } : {}),
      };
    },
  };
}

function openSnapshotApi(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { onchainUrl = PUBLIC_ONCHAIN_URL, isFull = false, pace = {} } = options;
  const { requestsPerMinute = API_LIMITS.requestsPerMinute } = pace;
  const url = requireUrlOf("snapshot-api", onchainUrl);
  const { http, common } = openClient(options, identity, requestsPerMinute);
  return {
    ...common,
    source: createSnapshotApiSource({ http, url, nowMs: identity.nowMs(), isFull }),
    async survey(daos, heldOf) {
      const requests = await estimateRequests({ http, url }, daos, heldOf);
      return { unchanged: new Set(), requests, minutes: minutesOf(requests, requestsPerMinute) };
    },
  };
}

function openDelegatesApi(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const url = requireUrlOf("delegates-api", options.delegatesUrl ?? "");
  const { http, common } = openClient(options, identity, API_LIMITS.requestsPerMinute);
  return { ...common, source: createDelegatesSource({ http, url, nowMs: identity.nowMs() }) };
}

const OPENERS: Readonly<
  Record<SourceId, (options: SourceOptions, identity: HttpClientOptions) => OpenSource>
> = {
  archive: openArchive,
  "snapshot-hub": openHub,
  "snapshot-api": openSnapshotApi,
  "delegates-api": openDelegatesApi,
  governor: openGovernor,
};

/** Opens the requested source; the caller closes it. Throws `BAD_OPTION` or ARCHIVE_MISSING. */
export function openSource(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  return OPENERS[options.source](options, identity);
}
