import { existsSync, statSync } from "node:fs";
import { pipelineFailure } from "../facts/errors.ts";
import { type GovernanceSource, type HeldSpace, votesOf } from "../facts/governance-source.ts";
import { PUBLIC_ONCHAIN_URL, type SourceId } from "../facts/source-table.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { parseUrl } from "../facts/upstream-text.ts";
import { archivedBytes, createArchiveSource } from "./archive/archive-source.ts";
import { createArchiveRecorder, createRecordedGovernor } from "./archive/record.ts";
import { createDelegatesSource } from "./delegates-api/delegates-source.ts";
import { createGovernorSource } from "./governor/governor-source.ts";
import { createRpc } from "./governor/rpc.ts";
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpCounters,
} from "./http/http-client.ts";
import type { GivenSettings } from "./http/http-settings.ts";
import { minutesOf, queriesOf, requestsOf } from "./hub/estimate.ts";
import { HUB_LIMITS } from "./hub/hub-reading.ts";
import { createSnapshotHubSource } from "./hub/hub-source.ts";
import { createSnapshotApiSource } from "./snapshot-api/api-source.ts";
import { estimateRequests } from "./snapshot-api/estimate-requests.ts";
import { API_LIMITS } from "./snapshot-api/open-api.ts";

/** Where to fetch from, and how. Options that a source does not use are refused by the command, not here. */
export interface SourceOptions {
  readonly source: SourceId;
  /** An archive's folder, or a hub's GraphQL URL; `undefined` for chains, whose nodes come from `rpcUrlOf`. */
  readonly from: string | undefined;
  readonly pace?: GivenSettings;
  /** Only fetch proposals that end at this time or later. */
  readonly sinceMs?: number | undefined;
  /** Fetch everything again, even what is already held. */
  readonly isFull?: boolean;
  /** Also record the answers as an archive in this folder. */
  readonly recordDirectory?: string | undefined;
  readonly hubKey?: string | undefined;
  /** GraphQL URL of the on-chain API. */
  readonly onchainUrl?: string | undefined;
  /** GraphQL URL of the delegates service. */
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

/** An opened source, with what the fetch stage has to know about it. */
export interface OpenSource {
  readonly source: GovernanceSource;
  /** How many DAOs may be fetched in parallel. */
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

const endsOf = (http: HttpClient): Pick<OpenSource, "bytesOf" | "counters" | "close"> => ({
  bytesOf: () => 0,
  counters: () => http.counters(),
  close: () => http.close(),
});

/** `--from` of a source that needs it. */
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
  const source = createArchiveSource({ directory });
  return {
    source,
    atOnce: 1,
    bytesOf: ({ spaceId }) => archivedBytes(directory, spaceId),
    counters: () => undefined,
    close: async () => undefined,
  };
}

function openGovernor(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { rpcUrlOf, recordDirectory } = options;
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
  const atOnce = recordDirectory === undefined ? (options.pace?.concurrencyMax ?? REQUESTS_AT_ONCE) : 1;
  return { source, atOnce, ...ends };
}

function openHubSource(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { recordDirectory } = options;
  const from = requireFrom(options);
  if (parseUrl(from) === undefined) {
    throw pipelineFailure("BAD_OPTION", "--from must be the URL of a Snapshot hub", {
      hint: "It ends in /graphql.",
    });
  }
  const requestsPerMinute = options.pace?.requestsPerMinute ?? HUB_LIMITS.requestsPerMinute;
  const http = createHttpClient({ ...identity, settings: { ...options.pace, requestsPerMinute } });
  const source = createSnapshotHubSource({
    http,
    url: from,
    apiKey: options.hubKey,
    pageSize: PAGE_SIZE,
    nowMs: identity.nowMs(),
    sinceMs: options.sinceMs,
    // A record of only the new data would not be a complete archive of the DAO.
    isFull: options.isFull === true || recordDirectory !== undefined,
    record: recordDirectory === undefined ? undefined : createArchiveRecorder(recordDirectory),
  });
  // Several DAOs share a request, one query each.
  const atOnce = (options.pace?.concurrencyMax ?? REQUESTS_AT_ONCE) * source.queriesMax();
  return {
    source,
    atOnce,
    ...endsOf(http),
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
        minutes: minutesOf(requests, { requestsPerMinute, keyRemaining }),
        ...(keyRemaining < requests ? { keyRemaining } : {}),
      };
    },
  };
}

function openSnapshotApi(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const { onchainUrl: url = PUBLIC_ONCHAIN_URL, isFull = false } = options;
  const what = "GOVDATA_ONCHAIN_URL must be the URL of Snapshot's on-chain API";
  const { opened, http, requestsPerMinute } = openService({ url, what }, options, identity, (settings) =>
    createSnapshotApiSource({ ...settings, isFull }),
  );
  return {
    ...opened,
    async survey(daos, heldOf) {
      const requests = await estimateRequests({ http, url }, daos, heldOf);
      return { unchanged: new Set(), requests, minutes: Math.ceil(requests / requestsPerMinute) };
    },
  };
}

function openDelegatesApi(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  const url = options.delegatesUrl ?? "";
  const what = "--source delegates-api needs GOVDATA_DELEGATES, the URL of a delegates service";
  return openService({ url, what }, options, identity, createDelegatesSource).opened;
}

type ServiceSettings = Parameters<typeof createDelegatesSource>[0];

/** Opens a source at the address that a variable holds; `what` is said of one that is no URL. */
function openService(
  { url, what }: { readonly url: string; readonly what: string },
  { pace }: SourceOptions,
  identity: HttpClientOptions,
  create: (settings: ServiceSettings) => GovernanceSource,
) {
  if (parseUrl(url) === undefined) throw pipelineFailure("BAD_OPTION", what);
  const requestsPerMinute = pace?.requestsPerMinute ?? API_LIMITS.requestsPerMinute;
  const http = createHttpClient({ ...identity, settings: { ...pace, requestsPerMinute } });
  const source = create({ http, url, nowMs: identity.nowMs() });
  const atOnce = pace?.concurrencyMax ?? REQUESTS_AT_ONCE;
  const opened: OpenSource = { source, atOnce, ...endsOf(http) };
  return { opened, http, requestsPerMinute };
}

const OPENERS: Readonly<
  Record<SourceId, (options: SourceOptions, identity: HttpClientOptions) => OpenSource>
> = {
  archive: openArchive,
  "snapshot-hub": openHubSource,
  "snapshot-api": openSnapshotApi,
  "delegates-api": openDelegatesApi,
  governor: openGovernor,
};

/** Opens the requested source; the caller closes it. Throws `BAD_OPTION` or ARCHIVE_MISSING. */
export function openSource(options: SourceOptions, identity: HttpClientOptions): OpenSource {
  return OPENERS[options.source](options, identity);
}
